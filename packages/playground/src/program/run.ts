import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Playground, type PlaygroundOptions, startPlayground } from '../start.ts'
import { type AppProcess, type AppSetting, freePort, startAppProcess } from './app.ts'
import { environmentFor, refuseReserved } from './environment.ts'

export interface Running extends AsyncDisposable {
  playground: Playground
  /** Resolves with the app's exit code. */
  ended: Promise<number>
  /** Resolves when the app exits, with how it exited and the last lines it printed. */
  end(): Promise<string>
  /** The end of the app's output so far, if it's quiet. */
  printed(): string
  /** Resolves when the app listens or has opened a socket. Rejects if it exits first or takes longer than 30 s. */
  ready(): Promise<void>
}

const READY_MS = 30_000
const LOOK_MS = 50

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}

async function untilReady(
  { isSocketMode, socketCount }: Playground,
  app: AppProcess,
  port: number,
): Promise<void> {
  const end = app.ended.then(async () => {
    throw new Error(`The app was not ready yet. ${await app.end()}`)
  })
  // When the app exits, nobody may be waiting any more.
  end.catch(() => undefined)
  const isReady = async () => (isSocketMode ? socketCount() > 0 : isListening(port))
  for (let waitedMs = 0; waitedMs < READY_MS; waitedMs += LOOK_MS) {
    if (await Promise.race([isReady(), end])) return
    await Promise.race([sleep(LOOK_MS), end])
  }
  const missing = isSocketMode
    ? 'it has no socket open'
    : `it does not listen on port ${port}, the variable PORT`
  throw new Error(`The app was not ready after ${READY_MS / 1000} s: ${missing}.\n${app.printed()}`.trimEnd())
}

/**
 * Starts a playground and the app of `command`, with the environment it needs. The app listens on port 3000 if it's free, in
 * tests on any free port, and requests go there unless `appUrl` is set. Disposing stops both, the app first.
 */
export async function runWithApp(
  options: PlaygroundOptions,
  command: readonly string[],
  setting: AppSetting = {},
): Promise<Running> {
  refuseReserved(setting.env)
  // Tests run in parallel, so they can't all use the default port.
  const ownPort = setting.env?.PORT
  const port = options.appUrl
    ? Number(new URL(options.appUrl).port || 80)
    : ownPort !== undefined
      ? Number(ownPort)
      : await freePort(setting.isQuiet ? 0 : undefined)
  const appUrl = options.appUrl ?? `http://127.0.0.1:${port}`
  const playground = await startPlayground({ ...options, appUrl })
  const { signingSecret } = options
  const environment = environmentFor(playground, {
    signingSecret,
    port,
    present: process.env,
    ...(setting.env && { given: setting.env }),
  })
  const app: AppProcess = startAppProcess(command, environment, setting)
  playground.expectCalls()
  return {
    playground,
    ended: app.ended,
    end: app.end,
    printed: app.printed,
    ready: () => untilReady(playground, app, port),
    async [Symbol.asyncDispose]() {
      await app.stop()
      await playground[Symbol.asyncDispose]()
    },
  }
}
