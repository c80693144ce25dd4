import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox'
import { expect, it } from 'vitest'
import { MANIFEST } from '../../../manifest.ts'
import { run } from '../../../process.ts'
import { seeded, seedOf } from '../../../random.ts'
import { createSandboxControl, type SandboxControl } from '../../../sandbox-control.ts'

const SECRET = 'import-signing-secret'
/** `IMPORT_ROWS=10000` for the whole of it; by default a tenth, which takes seconds. */
const ROWS = Number(process.env.IMPORT_ROWS ?? 1000)
const KILLS = 5
const SEED = seedOf()
const MOST_LOOKS = 200_000

async function startAround() {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const limits = { postsPerSecond: 0 }
  const app = { appUrl: 'http://127.0.0.1:9', signingSecret: SECRET, manifestPath: MANIFEST, limits }
  const playground = started.use(await startPlayground(app))
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: `sqlite:${join(folder, 'signalman.db')}`,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  async function start() {
    const child = run('test/features/health-checks/files/import-child.ts', { env })
    const [, url = ''] = await child.waitFor(/"url":"([^"]+)"/)
    playground.setAppUrl(url)
    return child
  }
  const service = createSandboxControl(sandbox)
  const slack = createDriver(playground.url)
  const everything = started.move()
  return { start, service, slack, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

/** Asks the service how many checks there are until it is so many. */
async function reaches(service: SandboxControl, count: number): Promise<number> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const total = await service.total()
    if (total >= count) return total
  }
  throw new Error(`The service never had ${count} checks.`)
}

it(`creates each of ${ROWS} rows once although it is killed ${KILLS} times (seed ${SEED})`, {
  timeout: 60_000 + ROWS * 30,
}, async () => {
  await using around = await startAround()
  const { service, slack } = around
  const { admin } = slack
  const names = Array.from({ length: ROWS }, (_, index) => `row-${String(index).padStart(5, '0')}`)
  const rows = names.map((name) => `${name},HTTPS,shop.example.com,443,60,1`)
  const file = ['name,protocol,target,port,frequency,customer_id', ...rows].join('\n')
  let app = await around.start()
  const { id } = await admin.upload('rows.csv', file, 'text/csv')
  await admin.command('/hc', 'import')
  const checked = await admin.submit({ 'CSV file': [id] }, { until: 'would be created', waitMs: 20_000 })
  await admin.click(checked.view, `Create ${ROWS.toLocaleString('en')}`)
  let total = 0
  const random = seeded(SEED)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const room = (ROWS * 0.9 - total) / (KILLS - kill)
    total = await reaches(service, total + 1 + random.below(room))
    app.child.kill('SIGKILL')
    await app[Symbol.asyncDispose]()
    app = await around.start()
  }
  await using _last = app
  const waitMs = 20_000 + ROWS * 20
  await admin.until(
    'Imported',
    ({ messages }) => JSON.stringify(messages).includes('Imported rows.csv'),
    waitMs,
  )
  expect(await service.total()).toBe(ROWS)
  expect(new Set(await service.allNames())).toEqual(new Set(names))
  const told = (await admin.messages('dm')).filter(({ text }) => text.includes('rows.csv'))
  expect(told.map(({ text }) => text)).toEqual([
    expect.stringContaining(`${ROWS.toLocaleString('en')} health checks created.`),
  ])
})
