import { startWithLoad } from '../parts/app.ts'
import type { Benchmark } from '../parts/benchmark.ts'
import { compareSamples, measure, type Sample } from '../parts/measure.ts'
import { startServer } from '../parts/server.ts'

const REASON =
  'The least code reads neither the person’s roles nor what is muted, validates nothing, and fills a template in place of building blocks within Slack’s limits.'

/** The app's own page size. The other server lists as many. */
const PAGE_SIZE = 15

/** Measures a complete `/hc list` of 500 checks, from the signed request to the answer at its response_url. */
export const listing: Benchmark = {
  name: 'listing',
  question: 'What does a complete /hc list of 500 checks cost?',
  async answer({ progress, size }) {
    await using app = await startWithLoad()
    const answer = await app.answerTo('list')
    const settings = { serviceUrl: app.service.ready, pageSize: PAGE_SIZE, answer }
    await using minimal = await startServer('minimal.ts', settings)
    progress(`page of ${PAGE_SIZE}, two servers in turn`)
    // Eight at once, from different workspaces, because commands of one workspace may share a request to the service.
    const plan = { typed: 'list', connections: 8, count: size(1200, 16) }
    const subjects = { minimal: { server: minimal, plan }, ours: { server: app.ours, plan } }
    const samples = await measure(app.load, subjects, { warmUps: size(1, 0), rounds: size(7, 1) })
    assertSameAnswers(samples)
    const { ratio, median } = compareSamples(samples)
    const row = (title: string, name: keyof typeof samples) =>
      [title, median('cpuMicros', name), median('perSecond', name)] as const
    return {
      tables: [
        {
          title: `A complete /hc list, page of ${PAGE_SIZE} of 500`,
          columns: ['CPU µs each', 'commands/s'],
          rows: [row('the least code that does it', 'minimal'), row('Signalman', 'ours')],
        },
      ],
      goals: [
        {
          goal: `CPU of /hc list, page of ${PAGE_SIZE} ÷ the least code that does it`,
          bound: { atMost: 1.8 },
          reached: ratio('cpuMicros', 'ours', 'minimal'),
          reason: REASON,
        },
      ],
    }
  },
}

/** Throws if the other server no longer posts the same answer as the app, which would make the comparison unfair. */
function assertSameAnswers({ ours, minimal }: Record<'ours' | 'minimal', Sample[]>): void {
  const [own, other] = [readAnswer(ours), readAnswer(minimal)]
  const hasSameContent = other.blocks.join() === own.blocks.join() && other.text === own.text
  if (!hasSameContent || Math.abs(other.length - own.length) > own.length / 20)
    throw new Error(
      `The server doesn’t post the same answer as the app: ${other.text} instead of ${own.text}`,
    )
}

function readAnswer([sample]: Sample[]) {
  const { latest = '' } = sample ?? {}
  // Every server of this benchmark posts a Slack message.
  const message = JSON.parse(latest) as { text: string; blocks: { type: string }[] }
  // The timestamps differ between servers.
  const text = message.text.replaceAll(/<!date[^>]*>/g, '')
  return { text, blocks: message.blocks.map(({ type }) => type), length: latest.length }
}
