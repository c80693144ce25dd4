import { createDriver, type Driver } from './driver.ts'
import { runWithApp } from './program/run.ts'
import { type Playground, type PlaygroundOptions, startPlayground } from './program/start.ts'

export interface FixtureOptions extends Partial<PlaygroundOptions> {
  manifestPath: string
  /** The command that starts the app: `['node', 'app.js']`. If omitted, the test starts the app itself and calls `setAppUrl`. */
  command?: readonly string[]
  /** The app's working directory. */
  cwd?: string
  /**
   * Additional environment variables; undefined removes one. `SLACK_API_URL` isn't allowed.
   */
  env?: Readonly<Record<string, string | undefined>>
}

export interface PlaygroundFixture extends AsyncDisposable {
  playground: Playground
  /** Acts as people in the playground. */
  slack: Driver
  /** The last 20,000 characters that the app has printed; empty without `command`. Included in the error for a missing answer. */
  appOutput(): string
}

/** Starts a playground on a free port, connects a driver to it, and starts the app if `command` is set. */
export async function startPlaygroundFixture({
  command,
  cwd,
  env,
  ...playgroundOptions
}: FixtureOptions): Promise<PlaygroundFixture> {
  const options: PlaygroundOptions = { signingSecret: 'playground-signing-secret', ...playgroundOptions }
  if (command === undefined) {
    const playground = await startPlayground(options)
    const slack = createDriver(playground.url)
    return {
      playground,
      slack,
      appOutput: () => '',
      [Symbol.asyncDispose]: () => playground[Symbol.asyncDispose](),
    }
  }
  const runningApp = await runWithApp(options, command, {
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
  })
  const { playground } = runningApp
  void runningApp.exited.then(async () => playground.reportExit(await runningApp.describeExit()))
  try {
    await runningApp.ready()
  } catch (error) {
    await runningApp[Symbol.asyncDispose]()
    throw error
  }
  return {
    playground,
    slack: createDriver(playground.url, { appOutput: runningApp.appOutput }),
    appOutput: runningApp.appOutput,
    [Symbol.asyncDispose]: () => runningApp[Symbol.asyncDispose](),
  }
}
