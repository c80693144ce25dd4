import { type Playground, type PlaygroundOptions, startPlayground } from '@signalman/playground'
import { createDriver, type Driver } from '@signalman/playground/driver'
import { type Sandbox, type SandboxOptions, startSandbox } from '@signalman/sandbox/src/index.ts'
import { type AppDeps, type RunningApp, startApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { EVERYONE } from '../src/domain/roles.ts'
import { createLog } from '../src/log.ts'
import { MANIFEST, writeManifest } from './manifest.ts'
import { findUnreadLines } from './read-told-lines.ts'
import { KEEP_NO_NAMES, LONG_DEADLINES, LONG_SLACK_TIMEOUTS, UNLIMITED } from './relaxed-limits.ts'
import { type CheckSeed, createSandboxControl, type SandboxControl } from './sandbox-control.ts'

export const SIGNING_SECRET = 'world-signing-secret'
export const WORKSPACE = 'T0PLAYGRND'
/**
 * How long a stop may take that doesn't wait for a load balancer. Otherwise, an app whose `/readyz` was requested goes on for three
 * seconds when it stops.
 */
export const WITHOUT_LAME_DUCK = { stopLimitMs: 1000 }

export interface WorldOptions {
  /** Initial health checks in production; none by default. The sandbox doesn't run them. */
  checks?: readonly CheckSeed[]
  sandbox?: SandboxOptions
  playground?: Partial<PlaygroundOptions>
  /** If false, no token is configured, like right after an installation. */
  connected?: boolean
  environment?: Record<string, string>
  /** `open` (the default) grants everyone every role; `closed` is the state of a new workspace. */
  access?: 'open' | 'closed'
  /** Lets guests look things up; by default they see nothing. */
  guests?: 'can-view'
  serviceLimits?: AppDeps['serviceLimits']
  workTimes?: AppDeps['workTimes']
  /** Unlimited by default, because simulated people send requests much faster than real ones. */
  budgets?: AppDeps['budgets']
  socketTimes?: AppDeps['socketTimes']
  /** Long by default, because on a busy machine a process may not run for a second. */
  requestDeadlines?: AppDeps['requestDeadlines']
  /** The polling interval of watches. May be shorter than a second, unlike the setting for operators. */
  watchEveryMs?: number
  /** The app's clock. */
  now?: () => Date
  /** How long the app's stop may take. */
  stopLimitMs?: number
}

export interface World extends AsyncDisposable {
  readonly app: RunningApp
  readonly config: Config
  readonly sandbox: Sandbox
  readonly playground: Playground
  /** The people in the playground, for example `world.slack.member.command('/hc', 'list')`. */
  readonly slack: Driver
  readonly service: SandboxControl
  readonly log: string[]
}

/** Starts the real app with a sandbox service and a playground Slack, over HTTP on free ports. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false, ...options.sandbox }))
  const isSocketMode = Boolean(options.environment?.SLACK_APP_TOKEN)
  using manifest = isSocketMode ? writeManifest(isSocketMode) : undefined
  const playground = started.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      manifestPath: manifest?.path ?? MANIFEST,
      ...options.playground,
      limits: { ...LONG_SLACK_TIMEOUTS, ...options.playground?.limits },
    }),
  )
  const config = createConfig(sandbox, playground, options)
  const log: string[] = []
  const app = started.use(
    await startApp({
      config,
      log: createLog('trace', { write: (line) => void log.push(line) }),
      ...(options.now && { now: options.now }),
      workTimes: { progressIntervalMs: 0, maxInFlightMs: 500, ...options.workTimes },
      ...(options.socketTimes && { socketTimes: options.socketTimes }),
      requestDeadlines: { ...LONG_DEADLINES, ...options.requestDeadlines },
      deliveryTimes: { assumeLostAfterMs: 500 },
      budgets: options.budgets ?? UNLIMITED,
      stopLimitMs: options.stopLimitMs,
      serviceLimits: { ...KEEP_NO_NAMES, ...options.serviceLimits },
    }),
  )
  playground.setAppUrl(app.url)
  if (options.access !== 'closed') await openAccess(app)
  const service = createSandboxControl(sandbox)
  for (const check of options.checks ?? []) await service.addCheck(check)
  await service.clearRequests()
  const slack = await createDriver(playground.url)
  const resources = started.move()
  return {
    app,
    config,
    sandbox,
    playground,
    slack,
    service,
    log,
    async [Symbol.asyncDispose]() {
      await using _ = resources
      const unread = await findUnreadLines(slack)
      if (unread.length > 0)
        throw new Error(`The strict reader refuses lines of buttons:\n${unread.join('\n')}`)
    },
  }
}

async function openAccess({ store }: RunningApp): Promise<void> {
  const at = new Date()
  const actor = { userId: 'U0ADMIN001' }
  await store.audit.decide(WORKSPACE, async (decisions) => {
    const { extend } = store.grants.within(decisions)
    for (const role of ['operator', 'approver', 'admin'] as const)
      await extend(role, EVERYONE, actor.userId, at)
    // Rows with the outcome `begun` are skipped in searches by default, so tests only see later rows.
    const auditEvent = { workspaceId: WORKSPACE, at, actor, verb: 'test.roles', reference: 'test' } as const
    return { outcome: undefined, auditEvent: { ...auditEvent, outcome: 'begun' } }
  })
}

function createConfig(sandbox: Sandbox, playground: Playground, options: WorldOptions): Config {
  const config = readConfig({
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    ...(options.connected !== false && { API_TOKEN: sandbox.token, API_OTE_TOKEN: sandbox.token }),
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'trace',
    ...(options.guests && { GUESTS_CAN_VIEW: 'true' }),
    ...options.environment,
  })
  const { watchEveryMs = config.watchIntervalSeconds * 1000 } = options
  return { ...config, watchIntervalSeconds: watchEveryMs / 1000 }
}
