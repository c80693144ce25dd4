import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox'
import { median } from './parts/numbers.ts'
import type { Question } from './parts/question.ts'
import { startServer } from './parts/server.ts'

const MANIFEST = join(import.meta.dirname, '../manifest.yml')
const SIGNING_SECRET = 'bench-signing-secret'
const SIZES = [1000, 100_000] as const
const WARM_UPS = 3
const ROUNDS = 15
const EXPORT_LIMIT_MS = 120_000

interface Measured {
  listMs: number
  summaryMs: number
  exportMs: number
  /** Most memory that the app's process has held, from its start to the end of the export. */
  peakMb: number
  /** The same before the export began. */
  readyMb: number
}

/** Whether an account of 100,000 health checks is slower to look at than a small one, and what a whole export takes. */
export const hundredThousand: Question = {
  name: 'hundred-thousand',
  asks: 'What do 100,000 health checks cost: first page, summary, full export?',
  async answer(progress) {
    const found: Measured[] = []
    for (const size of SIZES) {
      progress(`${size.toLocaleString('en')} checks: ${ROUNDS} listings, ${ROUNDS} summaries, one export`)
      found.push(await measured(size))
    }
    const [few, all] = found
    if (!few || !all) throw new Error('Each size gives one measurement.')
    const row = (name: string, { listMs, summaryMs, exportMs, readyMb, peakMb }: Measured) =>
      [name, listMs, summaryMs, exportMs, readyMb, peakMb] as const
    return {
      tables: [
        {
          title:
            'The whole app, sandbox and playground around it (milliseconds, medians; MB of the app alone)',
          columns: ['/hc list ms', '/hc ms', 'export ms', 'MB before', 'MB at most'],
          rows: [row('1,000 checks', few), row('100,000 checks', all)],
        },
      ],
      goals: [
        {
          goal: 'First page over 100,000 ÷ over 1,000',
          bound: { atMost: 1.5 },
          value: all.listMs / few.listMs,
        },
        {
          goal: 'Summary over 100,000 ÷ over 1,000',
          bound: { atMost: 1.5 },
          value: all.summaryMs / few.summaryMs,
        },
        {
          goal: 'Most memory with an export of 100,000 ÷ of 1,000',
          bound: { atMost: 1.6 },
          value: all.peakMb / few.peakMb,
        },
        {
          goal: 'Time of an export of 100,000 ÷ 100 exports of 1,000',
          bound: { atMost: 1 },
          value: all.exportMs / (few.exportMs * 100),
        },
      ],
    }
  },
}

async function measured(size: number): Promise<Measured> {
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const limits = { postsPerSecond: 0 }
  await using playground = await startPlayground({
    appUrl: 'http://127.0.0.1:9',
    signingSecret: SIGNING_SECRET,
    manifestPath: MANIFEST,
    limits,
  })
  await fill(sandbox.productionUrl, size)
  await using app = await startServer('between.ts', {
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
  })
  playground.setAppUrl(app.url)
  const { member } = createDriver(playground.url)
  const listMs = await medianMs(member, 'list')
  const summaryMs = await medianMs(member, '')
  const { peakBytes: ready } = await app.end()
  const started = performance.now()
  await member.command('/hc', 'export')
  await member.until(
    'the exported file',
    ({ messages }) =>
      JSON.stringify(messages).includes(`Exported ${size.toLocaleString('en')} health checks`),
    EXPORT_LIMIT_MS,
  )
  const exportMs = performance.now() - started
  const { peakBytes } = await app.end()
  return { listMs, summaryMs, exportMs, readyMb: megabytes(ready), peakMb: megabytes(peakBytes) }
}

const megabytes = (bytes: number): number => bytes / (1024 * 1024)

async function fill(url: string, count: number): Promise<void> {
  const answer = await fetch(`${url}/_sandbox/health-checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ count }),
  })
  if (!answer.ok) throw new Error(`The sandbox did not take ${count} checks: ${await answer.text()}`)
}

/** From the command that is typed to the answer that is read. */
async function medianMs(member: Driver['member'], typed: string): Promise<number> {
  const times: number[] = []
  for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
    const started = performance.now()
    await member.command('/hc', typed, { until: 'As of' })
    if (round >= 0) times.push(performance.now() - started)
  }
  return median(times)
}
