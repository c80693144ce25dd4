import type { Plan } from '../load/run.ts'
import type { Load } from '../load/start.ts'
import type { Server } from './server.ts'

/** One server of a comparison, with its load. */
export interface Subject {
  server: Server
  plan: Omit<Plan, 'url'>
}

/** The measurements of one server in one round. */
export interface Sample {
  /** The server's CPU time for one request in microseconds. */
  cpuMicros: number
  perSecond: number
  acknowledgedMs: number
  acknowledgedP99Ms: number
  scavengesMs: readonly number[]
  /** The latest posted answer; empty if the plan doesn't wait for answers. */
  latest: string
}

interface MeasureOptions {
  /** Rounds that aren't counted. */
  warmUps: number
  rounds: number
  /** How many requests to send before each measurement, as a share of the plan's requests. */
  warmUpShare?: number
}

/** Measures each subject once per round, so A, B, C, A, B, C, … */
export async function measure<Name extends string>(
  load: Load,
  subjects: Record<Name, Subject>,
  { warmUps, rounds, warmUpShare = 0.2 }: MeasureOptions,
): Promise<Record<Name, Sample[]>> {
  // Built from the keys of `subjects`.
  const names = Object.keys(subjects) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of names) {
      const sample = await takeSample(load, subjects[name], warmUpShare)
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}

async function takeSample(load: Load, { server, plan }: Subject, warmUpShare: number): Promise<Sample> {
  // Warm up again after collecting garbage: if no object of a shape is left, V8 drops the code that it compiled for that shape. That
  // doesn't happen on a busy server, where some request is always in progress.
  await server.collectGarbage()
  await load.run({ ...plan, url: server.url, count: Math.ceil(plan.count * warmUpShare) })
  await server.startUsage()
  const { perSecond, acknowledgedMs, acknowledgedP99Ms, latest } = await load.run({
    ...plan,
    url: server.url,
  })
  const { cpuMicros, scavengesMs } = await server.readUsage()
  return {
    cpuMicros: cpuMicros / plan.count,
    perSecond,
    acknowledgedMs,
    acknowledgedP99Ms,
    scavengesMs,
    latest,
  }
}
