import { serveCalls } from '../parts/calls.ts'
import { runPlan } from './run.ts'
import { startSink } from './sink.ts'

/** The process of the load generator. It also runs the fake Slack, which receives the answers. */
serveCalls(async () => {
  const sink = await startSink()
  let nextId = 1
  return {
    ready: sink.url,
    handlers: {
      run(argument) {
        // Only `startLoad` calls this.
        const plan = argument as Parameters<typeof runPlan>[0]
        const firstId = nextId
        nextId += plan.count
        return runPlan(plan, firstId, sink)
      },
    },
  }
})
