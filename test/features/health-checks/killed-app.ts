import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { MANIFEST } from '../../manifest.ts'
import { runFile } from '../../process.ts'
import { LONG_SLACK_TIMEOUTS } from '../../relaxed-limits.ts'
import { createSandboxControl } from '../../sandbox-control.ts'

const SECRET = 'killed-signing-secret'

/** Starts a sandbox and a playground. `start` runs the app in a process that the test can kill, and then restart with the same database. */
export async function startKillableApp() {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const playground = started.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      rate: 'off',
      limits: LONG_SLACK_TIMEOUTS,
    }),
  )
  const path = join(folder, 'signalman.db')
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: `sqlite:${path}`,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  async function start() {
    const child = runFile('test/features/health-checks/killed-child.ts', { env })
    const [, url = ''] = await child.waitFor(/"url":"([^"]+)"/)
    playground.setAppUrl(url)
    return child
  }
  const service = createSandboxControl(sandbox)
  const slack = createDriver(playground.url)
  const resources = started.move()
  return { start, path, sandbox, service, slack, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
