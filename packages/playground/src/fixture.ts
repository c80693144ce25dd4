import { createDriver, type Driver } from './driver.ts'
import { runWithApp } from './program/run.ts'
import { type Playground, type PlaygroundOptions, startPlayground } from './start.ts'

export interface FixtureOptions extends Partial<PlaygroundOptions> {
  manifestPath: string
  /** Starts the app as a process: `['node', 'app.js']`. Left out: the test starts it, and calls `setAppUrl`. */
  command?: readonly string[]
  /** The folder in which the app is started. */
  cwd?: string
  /** Further variables for the app. `NODE_OPTIONS` and `PYTHONPATH` are merged; one that would lead it away from the playground is an error. */
  env?: Readonly<Record<string, string>>
}

export interface PlaygroundFixture extends AsyncDisposable {
  playground: Playground
  /** People who type and click. */
  slack: Driver
  /** The end of what the app has printed so far; empty without `command`. An answer that does not come says it too. */
  printed(): string
}

/** A playground on a free port, a driver of it, and the app beside it when there is a command for it. */
export async function startPlaygroundFixture({
  command,
  cwd,
  env,
  ...given
}: FixtureOptions): Promise<PlaygroundFixture> {
  const options: PlaygroundOptions = { signingSecret: 'playground-signing-secret', ...given }
  if (command === undefined) {
    const playground = await startPlayground(options)
    const slack = createDriver(playground.url)
    return {
      playground,
      slack,
      printed: () => '',
      [Symbol.asyncDispose]: () => playground[Symbol.asyncDispose](),
    }
  }
  const running = await runWithApp(options, command, {
    isQuiet: true,
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
  })
  const { playground } = running
  void running.ended.then(async () => playground.say(await running.end(), true))
  try {
    await running.ready()
  } catch (error) {
    await running[Symbol.asyncDispose]()
    throw error
  }
  return {
    playground,
    slack: createDriver(playground.url, { printed: running.printed }),
    printed: running.printed,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** The same as a fixture of Vitest: `const it = test.extend({ world: playgroundFixture({ manifestPath }) })`. */
export function playgroundFixture(options: FixtureOptions) {
  // Vitest reads the first parameter's pattern: it needs no other fixture.
  // biome-ignore lint/correctness/noEmptyPattern: Vitest wants a pattern here
  return async ({}, use: (world: PlaygroundFixture) => Promise<void>): Promise<void> => {
    await using world = await startPlaygroundFixture(options)
    await use(world)
  }
}
