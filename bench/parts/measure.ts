import type { Plan } from '../load/run.ts'
import type { Load } from '../load/start.ts'
import type { Server } from './server.ts'

/** One peer of a comparison. */
export interface Subject {
  server: Server
  plan: Omit<Plan, 'url'>
}

/** One round of one subject. */
export interface Sample {
  /** Processor time of the server for one request, in microseconds. */
  cpuMicros: number
  perSecond: number
  acknowledgedMs: number
  acknowledgedP99Ms: number
  scavengesMs: readonly number[]
  latest: string
}

/** Share of a plan's requests that are made before they are counted. */
const WARMING = 0.2

/** Measures each subject once in every round, A B C A B C …; the rounds before `rounds` only warm up. */
export async function measure<Name extends string>(
  load: Load,
  subjects: Record<Name, Subject>,
  options: { warmUps: number; rounds: number },
): Promise<Record<Name, Sample[]>> {
  // Built from the very keys of `subjects`.
  const names = Object.keys(subjects) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>
  for (let round = -options.warmUps; round < options.rounds; round += 1) {
    for (const name of names) {
      const sample = await sampleOf(load, subjects[name])
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}

async function sampleOf(load: Load, { server, plan }: Subject): Promise<Sample> {
  // Every measurement starts from a collected heap, and from code that is warm: a full collection that finds no object of a
  // shape drops the code made for it, while in a server at work some request is always under way.
  await server.collect()
  await load.run({ ...plan, url: server.url, count: Math.ceil(plan.count * WARMING) })
  await server.begin()
  const { perSecond, acknowledgedMs, acknowledgedP99Ms, latest } = await load.run({
    ...plan,
    url: server.url,
  })
  const { cpuMicros, scavengesMs } = await server.end()
  return {
    cpuMicros: cpuMicros / plan.count,
    perSecond,
    acknowledgedMs,
    acknowledgedP99Ms,
    scavengesMs,
    latest,
  }
}
