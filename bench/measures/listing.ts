import { startWithLoad } from '../parts/app.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { type Child, startChild } from '../parts/child.ts'
import { takeTurns } from '../parts/turns.ts'

const REASON =
  'The other program reads neither the person’s roles nor what is muted, validates nothing, and fills a template in place of building blocks within Slack’s limits.'
const LOAD_REASON = 'A command that arrives while the heap is collected waits for it.'

/** The app's own page size. The other servers list as many. */
const PAGE_SIZE = 15

/** Measures a complete `/hc list` of 500 checks, from the signed request to the answer at its response_url. */
export async function measureLists(run: RunOptions): Promise<readonly Goal[]> {
  await using app = await startWithLoad()
  const answer = await app.answerTo('list')
  const settings = { serviceUrl: app.service.ready, pageSize: PAGE_SIZE, answer }
  await using bolt = await startChild('servers/bolt.ts', settings)
  await using minimal = await startChild('servers/minimal.ts', settings)
  for (const server of [bolt, minimal]) assertSameAnswers(answer, await app.answerTo('list', server))
  const compare = (plan: { count: number; connections: number; perSecond?: number }) => {
    const measure = (server: Child) => app.measure(server, { typed: ['list'], ...plan })
    return takeTurns(run, 7, { bolt: measure(bolt), minimal: measure(minimal), ours: measure(app.ours) })
  }
  // Eight at once, from different workspaces, because commands of one workspace may share a request to the service.
  const cost = await compare({ connections: 8, count: run.size(1200, 16) })
  const load = await compare({ connections: 32, count: run.size(300, 30), perSecond: 100 })
  return [
    {
      goal: 'CPU of /hc list ÷ a Bolt app by hand with the same requests',
      atMost: 1.1,
      ...cost.divide('cpuMicros', 'bolt', 'µs'),
      reason: REASON,
    },
    {
      goal: 'CPU of /hc list ÷ the least code with the same requests',
      atMost: 2.5,
      ...cost.divide('cpuMicros', 'minimal', 'µs'),
      reason: REASON,
    },
    {
      goal: 'Acknowledgement beside 100 lists a second, 99th percentile ÷ the least code',
      atMost: 2,
      ...load.divide('acknowledgedP99Ms', 'minimal', 'ms'),
      reason: LOAD_REASON,
    },
  ]
}

/** Throws if the other server doesn't post the same answer as the app, which would make the comparison unfair. */
function assertSameAnswers(ours: unknown, theirs: unknown): void {
  // The times differ between answers.
  const [own, other] = [ours, theirs].map((answer) => JSON.stringify(answer).replaceAll(/\d{10}/g, ''))
  if (other !== own) throw new Error(`The server doesn’t post the same answer as the app: ${other}`)
}
