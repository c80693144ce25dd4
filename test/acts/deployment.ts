import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect } from 'vitest'
import { openStore, type Store } from '../../src/app/store.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import type { TestDatabase } from '../databases/databases.ts'
import { addGrant } from '../give-role.ts'
import { writeManifest } from '../manifest.ts'
import { type RunningProcess, runFile } from '../process.ts'
import { LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'
import { createSandboxControl, type SandboxControl } from '../sandbox-control.ts'
import { openRowCounts, type RowCounts } from './row-counts.ts'

export const SECRET = 'acts-signing-secret'
/** An address where nothing listens. */
const UNREACHABLE_URL = 'http://127.0.0.1:9'
export const WORKSPACE = 'T0PLAYGRND'

/** App processes that share a sandbox, a playground, and a database. Slack sends requests to the oldest process. */
export interface Deployment extends AsyncDisposable {
  readonly service: SandboxControl
  readonly slack: Driver
  readonly playground: { readonly url: string }
  readonly store: Store
  readonly rows: RowCounts
  readonly serviceUrl: string
  readonly token: string
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  start(): Promise<void>
  /** Sends SIGKILL to the oldest process or to all. */
  kill(which: 'first' | 'all'): Promise<void>
  /** Lets a process kill itself right before one of its next statements, or kills it after a while, and waits for its end. */
  killAt(which: number, statement: number, afterMs: number): Promise<void>
  /** Lets the oldest process suspend itself once it has stored the next act. */
  freezeWhenStored(): void
  /** Sends SIGTERM, and waits for the end. */
  stop(which: number): Promise<void>
  /** Suspends a process for this long. */
  suspend(which: number, ms: number): Promise<void>
  /** Sends a signal to the oldest process. */
  signal(name: NodeJS.Signals): void
  connectSlack(): void
  disconnectSlack(): void
  countExited(): number
  waitUntilSettled(): Promise<void>
}

export async function startDeployment(
  database: TestDatabase,
  {
    script = 'test/acts/app-child.ts',
    env = {},
    hasStandby = false,
  }: {
    script?: string
    env?: Record<string, string>
    /** Keeps one more process loaded, so that the next one starts in a third of the time. */
    hasStandby?: boolean
  } = {},
): Promise<Deployment> {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  using manifest = writeManifest()
  const playground = started.use(
    await startPlayground({
      appUrl: UNREACHABLE_URL,
      signingSecret: SECRET,
      manifestPath: manifest.path,
      limits: LONG_SLACK_TIMEOUTS,
    }),
  )
  const environment = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: database.keys,
    PORT: '0',
    HOST: '127.0.0.1',
    ...env,
  }
  const store = started.use(await openStore(database))
  await addGrant(store, WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
  const rows = started.use(openRowCounts(database.url))
  const alive: { app: RunningProcess; url: string }[] = []
  started.defer(async () => void (await Promise.all(alive.map(({ app }) => app[Symbol.asyncDispose]()))))

  const standby: RunningProcess[] = []
  started.defer(async () => void (await Promise.all(standby.map((app) => app[Symbol.asyncDispose]()))))
  const load = () =>
    runFile(script, {
      args: ['serve'],
      env: { ...environment, ...(hasStandby && { STANDBY: '1' }) },
      hasInput: hasStandby,
    })

  const pointSlackAtFirst = () => playground.setAppUrl(alive[0]?.url ?? UNREACHABLE_URL)
  const deployment = {
    service: createSandboxControl(sandbox),
    slack: createDriver(playground.url),
    playground,
    store,
    rows,
    serviceUrl: sandbox.productionUrl,
    token: sandbox.token,
    get urls() {
      return alive.map(({ url }) => url)
    },
    get pids() {
      return alive.flatMap(({ app: { child } }) => child.pid ?? [])
    },
    async start() {
      const app = standby.pop() ?? load()
      if (hasStandby) {
        app.child.stdin?.on('error', () => undefined).write('start\n')
        standby.push(load())
      }
      const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
      alive.push({ app, url })
      pointSlackAtFirst()
    },
    async kill(which: 'first' | 'all') {
      const killed = alive.splice(0, which === 'all' ? alive.length : 1)
      for (const { app } of killed) app.child.kill('SIGKILL')
      for (const { app } of killed) await app.ended
    },
    async killAt(which: number, statement: number, afterMs: number) {
      const killed = alive[which]
      if (!killed) throw new Error(`There is no process ${which}.`)
      const { app } = killed
      app.child.stdin?.write(`die ${statement}\n`)
      const timer = setTimeout(() => app.child.kill('SIGKILL'), afterMs)
      if ((await app.ended) !== 'SIGKILL') throw new Error(`The process ended by itself: ${app.output()}`)
      clearTimeout(timer)
      alive.splice(alive.indexOf(killed), 1)
      pointSlackAtFirst()
    },
    freezeWhenStored: () => void alive[0]?.app.child.stdin?.write('freeze\n'),
    async stop(which: number) {
      const [stopped] = alive.splice(which, 1)
      if (!stopped) throw new Error(`There is no process ${which}.`)
      pointSlackAtFirst()
      const { app } = stopped
      app.child.kill('SIGTERM')
      if ((await app.ended) !== 0) throw new Error(`The process didn’t stop by itself: ${app.output()}`)
    },
    async suspend(which: number, ms: number) {
      const child = alive[which]?.app.child
      child?.kill('SIGSTOP')
      await pause(ms)
      child?.kill('SIGCONT')
    },
    signal: (name: NodeJS.Signals) => void alive[0]?.app.child.kill(name),
    connectSlack: pointSlackAtFirst,
    disconnectSlack: () => playground.setAppUrl(UNREACHABLE_URL),
    countExited: () =>
      alive.filter(({ app: { child } }) => child.exitCode !== null || child.signalCode !== null).length,
    waitUntilSettled: () => expect.poll(async () => (await rows.acts()).open, { interval: 5 }).toBe(0),
  }
  const resources = started.move()
  return Object.assign(deployment, { [Symbol.asyncDispose]: () => resources.disposeAsync() })
}
