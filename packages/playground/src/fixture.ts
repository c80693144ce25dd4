import { createDriver, type Driver } from './driver.ts'
import { findFreePort, startAppProcess } from './program/app.ts'
import { type PlaygroundOptions, startPlayground } from './program/start.ts'

export interface FixtureOptions extends Partial<PlaygroundOptions> {
  manifestPath: string
  /** The command that starts the app in the current folder: `['node', 'app.js']`. */
  command: readonly string[]
}

export interface PlaygroundFixture extends AsyncDisposable {
  /** Acts as people in the playground. */
  slack: Driver
  /** The last 20,000 characters that the app has printed. */
  appOutput(): string
}

/**
 * Starts a playground and an app on free ports. Resolves when the app listens on its `PORT`. Rejects if it exits first or takes over
 * 30 s. Disposing stops the app, then the playground.
 */
export async function startPlaygroundFixture({
  command,
  signingSecret = 'playground-signing-secret',
  ...options
}: FixtureOptions): Promise<PlaygroundFixture> {
  const port = await findFreePort()
  const playground = await startPlayground({
    ...options,
    signingSecret,
    appUrl: `http://127.0.0.1:${port}`,
  })
  const app = startAppProcess(command, {
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: playground.apiUrl,
    PORT: String(port),
  })
  void app.describeExit().then(playground.reportExit)
  const dispose = async () => {
    await app.stop()
    await playground[Symbol.asyncDispose]()
  }
  try {
    await app.listensOn(port)
  } catch (error) {
    await dispose()
    throw error
  }
  return { slack: createDriver(playground.url), appOutput: app.output, [Symbol.asyncDispose]: dispose }
}
