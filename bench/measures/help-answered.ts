import { startWithLoad } from '../parts/app.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { takeTurns } from '../parts/turns.ts'

const REASON = 'The help is built for each person and each time, and Bolt posts a constant.'

/** Compares the cost of `/hc help` with that of a Bolt app that posts the same message. */
export async function measureHelp(run: RunOptions): Promise<readonly Goal[]> {
  await using app = await startWithLoad()
  await using bolt = await startChild('servers/bolt.ts', { answer: await app.answerTo('help') })
  const plan = { typed: ['help'], count: run.size(8000, 100), connections: 50 }
  const servers = { bolt: app.measure(bolt, plan), ours: app.measure(app.ours, plan) }
  const { divide } = await takeTurns(run, 5, servers)
  return [
    {
      goal: 'CPU of /hc help ÷ bare Bolt',
      atMost: 0.8,
      ...divide('cpuMicros', 'bolt', 'µs'),
      reason: REASON,
    },
    {
      goal: 'Time of each /hc help, 50 together ÷ bare Bolt',
      atMost: 0.8,
      ...divide('msEach', 'bolt', 'ms'),
      reason: REASON,
    },
    {
      goal: 'Median acknowledgement of /hc help ÷ bare Bolt',
      atMost: 0.45,
      ...divide('acknowledgedMs', 'bolt', 'ms'),
    },
  ]
}
