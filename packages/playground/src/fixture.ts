import { createDriver, type Driver } from './driver.ts'
import { runWithApp } from './program/run.ts'
import { type Playground, type PlaygroundOptions, startPlayground } from './start.ts'

export interface FixtureOptions extends Partial<PlaygroundOptions> {
  manifestPath: string
  /** Starts the app as a process: `['node', 'app.js']`. If omitted, the test starts the app and calls `setAppUrl`. */
  command?: readonly string[]
  /** The app's working directory. */
  cwd?: string
  /** More environment variables for the app. `NODE_OPTIONS` and `PYTHONPATH` are merged; another `SLACK_API_URL` is an error. */
  env?: Readonly<Record<string, string>>
}

export interface PlaygroundFixture extends AsyncDisposable {
  playground: Playground
  /** People who type and click. */
  slack: Driver
  /** The last part of what the app printed so far; empty without `command`. The error for a missing answer includes it. */
  appOutput(): string
}

/** Starts a playground on a free port, a driver, and the app if there is a `command`. */
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
  const running = await runWithApp(options, command, {
    isQuiet: true,
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
  })
  const { playground } = running
  void running.exited.then(async () => playground.warn(await running.describeExit(), true))
  try {
    await running.ready()
  } catch (error) {
    await running[Symbol.asyncDispose]()
    throw error
  }
  return {
    playground,
    slack: createDriver(playground.url, { appOutput: running.appOutput }),
    appOutput: running.appOutput,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** The same as a Vitest fixture: `const it = test.extend({ world: playgroundFixture({ manifestPath }) })`. */
export function playgroundFixture(options: FixtureOptions) {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest requires a pattern, which names the other fixtures that this one needs
  return async ({}, use: (world: PlaygroundFixture) => Promise<void>): Promise<void> => {
    await using world = await startPlaygroundFixture(options)
    await use(world)
  }
}
