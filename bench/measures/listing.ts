import { startWithLoad } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { compareSamples, measure, type Sample } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

const REASON =
  'The other program reads neither the person’s roles nor what is muted, validates nothing, and fills a template in place of building blocks within Slack’s limits.'
const LOAD_REASON = 'A command that arrives while the heap is collected waits for it.'

/** The app's own page size. The other servers list as many. */
const PAGE_SIZE = 15

/** Measures a complete `/hc list` of 500 checks, from the signed request to the answer at its response_url. */
export const listing: Benchmark = {
  name: 'listing',
  question: 'What does a complete /hc list of 500 checks cost, and how soon is it acknowledged under load?',
  async answer({ progress, size }) {
    await using app = await startWithLoad()
    const answer = await app.answerTo('list')
    const settings = { serviceUrl: app.service.ready, pageSize: PAGE_SIZE, answer }
    await using bolt = await startServer('bolt.ts', settings)
    await using minimal = await startServer('minimal.ts', settings)
    const servers = { bolt, minimal, ours: app.ours }
    const compare = async (plan: { count: number; connections: number; perSecond?: number }) => {
      const subject = (server: (typeof servers)['ours']) => ({ server, plan: { typed: 'list', ...plan } })
      const subjects = { bolt: subject(bolt), minimal: subject(minimal), ours: subject(app.ours) }
      const samples = await measure(app.load, subjects, { warmUps: size(1, 0), rounds: size(7, 1) })
      assertSameAnswers(samples.ours, samples.bolt)
      assertSameAnswers(samples.ours, samples.minimal)
      return compareSamples(samples)
    }
    progress(`page of ${PAGE_SIZE}, three servers in turn`)
    // Eight at once, from different workspaces, because commands of one workspace may share a request to the service.
    const cost = await compare({ connections: 8, count: size(1200, 16) })
    progress('100 commands a second')
    const load = await compare({ connections: 32, count: size(300, 30), perSecond: 100 })
    const row = (title: string, name: keyof typeof servers) =>
      [
        ...[title, cost.median('cpuMicros', name), cost.median('perSecond', name)],
        load.median('acknowledgedP99Ms', name),
      ] as const
    return {
      tables: [
        {
          title: `A complete /hc list, page of ${PAGE_SIZE} of 500`,
          columns: ['CPU µs each', 'commands/s', 'acknowledged ms, 99th percentile at 100/s'],
          rows: [
            row('Bolt app by hand', 'bolt'),
            row('the least code that does it', 'minimal'),
            row('Signalman', 'ours'),
          ],
        },
      ],
      goals: [
        {
          goal: 'CPU of /hc list ÷ a Bolt app by hand with the same requests',
          bound: { atMost: 1.5 },
          reached: cost.ratio('cpuMicros', 'ours', 'bolt'),
          reason: REASON,
        },
        {
          goal: 'CPU of /hc list ÷ the least code with the same requests',
          bound: { atMost: 2.2 },
          reached: cost.ratio('cpuMicros', 'ours', 'minimal'),
          reason: REASON,
        },
        {
          goal: 'Acknowledgement beside 100 lists a second, 99th percentile ÷ the least code',
          bound: { atMost: 2 },
          reached: load.ratio('acknowledgedP99Ms', 'ours', 'minimal'),
          reason: LOAD_REASON,
        },
      ],
    }
  },
}

/** Throws if the other server doesn't post the same answer as the app, which would make the comparison unfair. */
function assertSameAnswers(ours: readonly Sample[], theirs: readonly Sample[]): void {
  const [own, other] = [readAnswer(ours), readAnswer(theirs)]
  const hasSameContent = other.blocks.join() === own.blocks.join() && other.text === own.text
  if (!hasSameContent || Math.abs(other.length - own.length) > own.length / 20)
    throw new Error(
      `The server doesn’t post the same answer as the app: ${other.text} instead of ${own.text}`,
    )
}

function readAnswer([sample]: readonly Sample[]) {
  const { latest = '' } = sample ?? {}
  // Every server of this benchmark posts a Slack message.
  const message = JSON.parse(latest) as { text: string; blocks: { type: string }[] }
  // The timestamps differ between servers.
  const text = message.text.replaceAll(/<!date[^>]*>/g, '')
  return { text, blocks: message.blocks.map(({ type }) => type), length: latest.length }
}
