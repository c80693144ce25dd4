import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { type Answer, createDriver, type Driver, readText } from '@signalman/playground/driver'
import { TEXT_LIMITS } from '@signalman/runtime'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import type { RunOptions } from './benchmark.ts'
import { type BlockingTimes, minimumTimes } from './event-loop-blocking.ts'
import { largeCsr } from './parsing-actions.ts'
import { type Server, startServer } from './server.ts'
import { BOT_TOKEN, ENCRYPTION_KEYS, SIGNING_SECRET } from './slack.ts'

const MANIFEST = join(import.meta.dirname, '../../manifest.yml')
/** Long enough to include scheduled work, which starts a minute after the app. */
const IDLE_MS = 75_000
const ANSWER_WAIT_MS = 30_000

type UserActions = readonly (readonly [title: string, run: () => Promise<unknown>])[]

/** Measures how long people's actions block the event loop of the app on a full database. */
export async function measureUserActions(
  { progress, size }: RunOptions,
  databaseUrl: string,
  rounds: number,
): Promise<[string, BlockingTimes][]> {
  await using running = new AsyncDisposableStack()
  const sandbox = running.use(await startSandbox({ seed: false, checking: false }))
  const playground = running.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      botToken: BOT_TOKEN,
      manifestPath: MANIFEST,
      rate: 'off',
    }),
  )
  await addChecks(sandbox.productionUrl, 500)
  const app = running.use(
    await startServer('signalman.ts', {
      serviceUrl: sandbox.productionUrl,
      sinkUrl: playground.url,
      databaseUrl,
      encryptionKeys: ENCRYPTION_KEYS,
      serviceToken: sandbox.token,
      connected: 0,
    }),
  )
  playground.setAppUrl(app.url)
  const results: [string, BlockingTimes][] = []
  for (const [title, run] of await createUserActions(createDriver(playground.url))) {
    progress(title)
    const times: BlockingTimes[] = []
    for (let round = 0; round < rounds; round += 1) times.push(await measureAction(app, run))
    results.push([title, minimumTimes(times)])
  }
  const idle = 'app: an idle minute with scheduled work'
  progress(idle)
  results.push([idle, await measureAction(app, () => pause(size(IDLE_MS, 1000)))])
  return results
}

async function measureAction(app: Server, run: () => Promise<unknown>): Promise<BlockingTimes> {
  await app.startBlockingMeasurement()
  await run()
  return app.endBlockingMeasurement()
}

async function createUserActions({ admin, member }: Driver): Promise<UserActions> {
  const { id } = await member.upload('names.der', new Uint8Array(largeCsr(TEXT_LIMITS.csrNames)))
  const waitFor = (until: RegExp) => ({ until, waitMs: ANSWER_WAIT_MS })
  const audit = (flags: string) => () =>
    admin.command('/hc', `audit ${flags}`, waitFor(/newest first|No audit entries match/))
  return [
    ['app: /hc audit', audit('')],
    ['app: /hc audit of one object', audit('--object nothing-of-this-name')],
    ['app: /hc audit of a month', audit('--from 2025-03-01 --to 2025-03-31')],
    ['app: /cert-order list', () => admin.command('/cert-order', 'list', waitFor(/orders?/i))],
    ['app: Home', () => admin.openHome({ waitMs: ANSWER_WAIT_MS })],
    [
      'app: /hc list, page of 40',
      () => member.command('/hc', 'list --limit 40', waitFor(/\d health checks/)),
    ],
    ['app: a certificate for the maximum number of names', () => order(member, id)],
  ]
}

/** Requests a certificate, and closes the window when the request is waiting for approval. */
async function order(member: Driver['member'], fileId: string): Promise<void> {
  // Notices about earlier orders arrive at any time, so wait for the window, which may open with a placeholder.
  const isOpen = ({ view }: Answer): boolean => Boolean(view?.view.submit)
  const isSubmitted = ({ view }: Answer): boolean => /waiting for approval/.test(readText(view))
  await member.command('/cert-order', '', { until: isOpen, waitMs: ANSWER_WAIT_MS })
  await member.submit(
    { 'CSR as a file': [fileId], Product: '101', Duration: '1 year' },
    { until: isSubmitted, waitMs: ANSWER_WAIT_MS },
  )
  await member.close({ all: true })
}

export async function addChecks(url: string, count: number): Promise<void> {
  const response = await fetch(`${url}/_sandbox/health-checks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ count }),
  })
  if (!response.ok) throw new Error(`The sandbox did not add ${count} checks: ${await response.text()}`)
}
