import { startChild } from '../parts/child.ts'
import type { Outcome, Plan } from './run.ts'

export interface Load extends AsyncDisposable {
  /** The origin of every response_url and of Slack's Web API. */
  readonly sinkUrl: string
  run(plan: Plan): Promise<Outcome>
  /** When the first message of each workspace arrived in its channel, by workspace ID. */
  firstPosts(): Promise<ReadonlyMap<string, number>>
}

/** Runs the load generator in its own process. */
export async function startLoad(): Promise<Load> {
  const child = await startChild('load/run.ts')
  return {
    // `load/run.ts` returns both.
    sinkUrl: child.ready as string,
    run: async (plan) => (await child.call('run', plan)) as Outcome,
    firstPosts: async () => (await child.call('firstPosts')) as ReadonlyMap<string, number>,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}
