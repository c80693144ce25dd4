import { startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect } from 'vitest'
import { openStore, type Store } from '../../src/app/store.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { createAddressListings } from '../../src/features/health-checks/rows/address-listings.ts'
import { accountFromToken } from '../../src/service/service.ts'
import type { TestDatabase } from '../databases/databases.ts'
import { manifestWith, OPT_IN } from '../manifest.ts'
import { PATIENT_SLACK } from '../patience.ts'
import { type Running, run } from '../process.ts'
import { createSandboxControl, type SandboxControl } from '../sandbox-control.ts'
import { type Rows, rowsOf } from './rows.ts'

export const SECRET = 'acts-signing-secret'
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9'
export const WORKSPACE = 'T0PLAYGRND'

/** Processes of the app with one sandbox, one playground, and one database. Slack sends requests to the first. */
export interface Stage extends AsyncDisposable {
  readonly service: SandboxControl
  readonly slack: Driver
  readonly store: Store
  readonly rows: Rows
  /** A token that the service accepts. */
  readonly token: string
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  /** Starts another process. */
  start(): Promise<void>
  /** Sends SIGKILL to Slack's process or to all. Slack then uses the next one. */
  kill(which: 'first' | 'all'): Promise<void>
  /** Sends a signal to Slack's process. */
  signal(name: NodeJS.Signals): void
  /** Points Slack at the oldest process. */
  point(): void
  /** Points Slack at an address where nothing listens. */
  unplug(): void
  /** How many processes have exited on their own. */
  ended(): number
  /** Waits until no act is unfinished. */
  settled(): Promise<void>
  /** The output of all processes. */
  output(): string
}

export async function startStage(
  database: TestDatabase,
  { script = 'test/acts/app-child.ts', env = {} }: { script?: string; env?: Record<string, string> } = {},
): Promise<Stage> {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  using manifest = manifestWith(OPT_IN)
  const playground = started.use(
    await startPlayground({
      appUrl: NOWHERE,
      signingSecret: SECRET,
      manifestPath: manifest.path,
      rate: 'off',
      limits: PATIENT_SLACK,
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
    SLACK_WITH_FEATURES: OPT_IN.join(','),
    ...env,
  }
  const store = started.use(await openStore(database))
  await store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
  // Otherwise each change of HTTPS checks would ask about server addresses first.
  const place = { workspaceId: WORKSPACE, now: new Date() }
  await createAddressListings(store.ephemeralState).saveNoneGiven(place, accountFromToken(sandbox.token))
  const rows = started.use(rowsOf(database.url))
  const alive: { app: Running; url: string }[] = []
  const said: string[] = []
  started.defer(async () => void (await Promise.all(alive.map(({ app }) => app[Symbol.asyncDispose]()))))

  const point = () => playground.setAppUrl(alive[0]?.url ?? NOWHERE)
  const stage = {
    service: createSandboxControl(sandbox),
    slack: createDriver(playground.url),
    store,
    rows,
    token: sandbox.token,
    get urls() {
      return alive.map(({ url }) => url)
    },
    get pids() {
      return alive.flatMap(({ app: { child } }) => child.pid ?? [])
    },
    async start() {
      const app = run(script, { args: ['serve'], env: environment })
      const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
      alive.push({ app, url })
      point()
    },
    async kill(which: 'first' | 'all') {
      const gone = alive.splice(0, which === 'all' ? alive.length : 1)
      for (const { app } of gone) app.child.kill('SIGKILL')
      for (const { app } of gone) {
        await app.ended
        said.push(app.output())
      }
    },
    signal: (name: NodeJS.Signals) => void alive[0]?.app.child.kill(name),
    point,
    unplug: () => playground.setAppUrl(NOWHERE),
    ended: () =>
      alive.filter(({ app: { child } }) => child.exitCode !== null || child.signalCode !== null).length,
    settled: () => expect.poll(async () => (await rows.acts()).open, { interval: 5 }).toBe(0),
    output: () => [...said, ...alive.map(({ app }) => app.output())].join('\n'),
  }
  const everything = started.move()
  return Object.assign(stage, { [Symbol.asyncDispose]: () => everything.disposeAsync() })
}
