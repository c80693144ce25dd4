import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { UNTIL_FORM } from './acts/act-kind.ts'
import { MANIFEST } from './manifest.ts'
import { type RunningProcess, runFile } from './process.ts'
import { LONG_SLACK_TIMEOUTS } from './relaxed-limits.ts'
import { createSandboxControl } from './sandbox-control.ts'

export const SECRET = 'process-signing-secret'

/** Starts a sandbox and a playground. To run `file` in its own process, connected to them and with a database file, call `start`. */
export async function startProcessWorld(file: string) {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const playground = started.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      limits: LONG_SLACK_TIMEOUTS,
    }),
  )
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    DATABASE_URL: `sqlite:${join(folder, 'signalman.db')}`,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  const slack = await createDriver(playground.url)
  const service = createSandboxControl(sandbox)
  const resources = started.move()
  async function start(
    variables: Record<string, string> = {},
  ): Promise<{ app: RunningProcess; url: string }> {
    const app = resources.use(runFile(file, { args: ['serve'], env: { ...env, ...variables } }))
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    playground.setAppUrl(url)
    return { app, url }
  }
  return { start, env, slack, service, sandbox, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

export type ProcessWorld = Awaited<ReturnType<typeof startProcessWorld>>

/** Stores the service's token like an admin does. */
export async function connect({ slack, sandbox }: ProcessWorld): Promise<void> {
  await slack.admin.command('/hc', 'connect', UNTIL_FORM)
  await slack.admin.submit({ Token: sandbox.token }, { until: /[Ss]tored/ })
}
