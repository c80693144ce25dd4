import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppOptions, type AppProcess, findFreePort, startAppProcess } from './app.ts'
import { checkReserved, createEnvironment } from './environment.ts'
import { type Playground, type PlaygroundOptions, startPlayground } from './start.ts'

export interface RunningApp extends AsyncDisposable {
  playground: Playground
  /** Resolves with the app's exit code. */
  exited: Promise<number>
  /** Resolves when the app exits, with a message about how it exited and its last lines of output. */
  describeExit(): Promise<string>
  /** The last 20,000 characters that the app has printed. */
  appOutput(): string
  /**
   * Resolves when the app listens on its port. Rejects if it exits first or takes over 30 s.
   */
  ready(): Promise<void>
}

const READY_TIMEOUT_MS = 30_000
const CHECK_INTERVAL_MS = 50

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}

async function waitUntilReady(app: AppProcess, port: number): Promise<void> {
  const exitError = app.exited.then(async () => {
    throw new Error(`The app wasn't ready yet. ${await app.describeExit()}`)
  })
  // Prevents an unhandled rejection if the app exits after it was ready, when nothing awaits this promise.
  exitError.catch(() => undefined)
  for (let waitedMs = 0; waitedMs < READY_TIMEOUT_MS; waitedMs += CHECK_INTERVAL_MS) {
    if (await Promise.race([isListening(port), exitError])) return
    await Promise.race([sleep(CHECK_INTERVAL_MS), exitError])
  }
  throw new Error(
    `The app doesn't listen on PORT, which is ${port}, after ${READY_TIMEOUT_MS / 1000} s.\n${app.output()}`.trimEnd(),
  )
}

/**
 * Starts a playground and an app, and sends the app's requests to its `PORT`. Disposing stops the app, then the playground.
 */
export async function runWithApp(
  options: PlaygroundOptions,
  command: readonly string[],
  appOptions: AppOptions = {},
): Promise<RunningApp> {
  checkReserved(appOptions.env)
  const port = await findFreePort()
  const playground = await startPlayground({ ...options, appUrl: `http://127.0.0.1:${port}` })
  const { signingSecret } = options
  const environment = createEnvironment(playground, {
    signingSecret,
    port,
    current: process.env,
    ...(appOptions.env && { overrides: appOptions.env }),
  })
  const app: AppProcess = startAppProcess(command, environment, appOptions.cwd)
  return {
    playground,
    exited: app.exited,
    describeExit: app.describeExit,
    appOutput: app.output,
    ready: () => waitUntilReady(app, port),
    async [Symbol.asyncDispose]() {
      await app.stop()
      await playground[Symbol.asyncDispose]()
    },
  }
}
