// This folder is the demo: the app between a playground and a sandbox, with a story in five steps.

import { join } from 'node:path'
import { type Playground, type PlaygroundOptions, startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { type AppDeps, startApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/log.ts'
import { createCall } from './sandbox-calls.ts'
import { setUpWorkspace } from './set-up.ts'
import { createStory } from './story.ts'
import { createTargets } from './targets.ts'

const MANIFEST = join(import.meta.dirname, '../../../manifest.yml')
const SIGNING_SECRET = 'demo-signing-secret'

/** The app's clock, timeouts, and polling interval are set by tests. */
interface DemoOptions extends Pick<AppDeps, 'now' | 'requestDeadlines'> {
  port: number
  logLevel: string
  limits?: PlaygroundOptions['limits']
  pollMs?: number
}

interface Demo extends AsyncDisposable {
  page: string
}

/** Polls often: nobody who tries the demo wants to wait a minute for a card. */
const POLL_MS = 2000

/** Starts the real app between the sandbox service and the playground Slack, all on this machine and in memory. */
export async function startDemo({
  port,
  logLevel,
  limits = {},
  pollMs = POLL_MS,
  ...appOptions
}: DemoOptions): Promise<Demo> {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ healthy: true }))
  const call = createCall(sandbox)
  const targets = createTargets(call, pollMs)
  const getDriver = () => createDriver(playground.url)
  const playground: Playground = started.use(
    await startPlayground({
      port,
      // Replaced below, once the app listens: the app needs the playground's address first.
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      manifestPath: MANIFEST,
      limits,
      panels: [createStory({ targets, getDriver })],
    }),
  )
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    API_TOKEN: sandbox.token,
    API_OTE_TOKEN: sandbox.token,
    DATABASE_URL: 'sqlite::memory:',
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: logLevel,
  })
  const app = started.use(
    await startApp({
      config: { ...config, watchIntervalSeconds: pollMs / 1000 },
      log: createLog(config.logLevel),
      ...appOptions,
    }),
  )
  playground.setAppUrl(app.url)
  await setUpWorkspace(getDriver(), async () => {
    const status = await app.store.watching.history.findPoll({
      workspaceId: 'T0PLAYGRND',
      environment: 'production',
    })
    return (status?.polls ?? 0) > 0
  })
  const resources = started.move()
  return { page: playground.url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
