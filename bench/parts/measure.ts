import type { Outcome, Plan } from '../load/run.ts'
import type { Load } from '../load/start.ts'
import { median, ratio } from './numbers.ts'
import type { Server } from './server.ts'

/** One server of a comparison, with its load. */
interface Subject {
  server: Server
  plan: Omit<Plan, 'url'>
}

/** The measurements of one server in one round. */
export interface Sample extends Outcome {
  /** The server's CPU time for one request in microseconds. */
  cpuMicros: number
}

/** Measures each subject once per round, so A, B, C, A, B, C, … */
export async function measure<Name extends string>(
  load: Load,
  subjects: Record<Name, Subject>,
  { warmUps, rounds }: { /** Rounds that aren't counted. */ warmUps: number; rounds: number },
): Promise<Record<Name, Sample[]>> {
  // Built from the keys of `subjects`.
  const names = Object.keys(subjects) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>
  for (let round = -warmUps; round < rounds; round += 1)
    for (const name of names) {
      const { server, plan } = subjects[name]
      // Warm up again after collecting garbage: if no object of a shape is left, V8 drops the code that it compiled for that shape. That
      // doesn't happen on a busy server, where some request is always in progress.
      await server.collectGarbage()
      await load.run({ ...plan, url: server.url })
      await server.startUsage()
      const outcome = await load.run({ ...plan, url: server.url })
      const cpuMicros = (await server.readCpuMicros()) / plan.count
      if (round >= 0) samples[name].push({ ...outcome, cpuMicros })
    }
  return samples
}

type MeasuredValue = Exclude<keyof Sample, 'latest'>

/** Compares the servers of one run. A ratio is the median of the ratios within each round. */
export function compareSamples<Name extends string>(samples: Record<Name, readonly Sample[]>) {
  const series = (name: Name, value: MeasuredValue): number[] => samples[name].map((sample) => sample[value])
  return {
    ratio: (value: MeasuredValue, ours: Name, theirs: Name): number =>
      ratio(series(ours, value), series(theirs, value)),
    median: (value: MeasuredValue, name: Name): number => median(series(name, value)),
  }
}
