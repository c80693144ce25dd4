import type { Log, ObserveCall } from '@signalman/runtime'
import {
  createResponder,
  createSlackClients,
  type Responder,
  type SlackClients,
  type Worded,
} from '@signalman/slack'
import { installedWorkspaces, oneWorkspace, type Tenancy } from '../bot/install/tenancy.ts'
import { createNameCommands } from '../bot/request/name-commands.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { SERVICE_LIMITS } from '../service/limits.ts'
import { createParseTurns } from '../service/parse-turns.ts'
import { createService, type Service, type ServiceOptions } from '../service/service.ts'
import { createEntityOf } from './doors.ts'
import { openStore, type Store } from './store.ts'

/** A listing of a page and what goes with it, without waiting for turns. */
const LEAST_CONNECTIONS = 4

/** What the app speaks with: its database, the service, and Slack. */
export interface Outside {
  store: Store
  service: Service
  baseUrls: ServiceOptions['baseUrls']
  tenancy: Tenancy
  clients: SlackClients
  /** Names our commands as this deployment has them. */
  worded: Worded
  responder: Responder
  /** Tells the log and the metrics of a call. */
  observe: ObserveCall
  replicas: Replicas
}

/** Opens the ways to all of it; whoever disposes of `started` closes them. Throws StoreError. */
export async function openOutside(
  parts: {
    config: Config
    log: Log
    metrics: Metrics
    now: () => Date
    /** The clock of the database, where it is not its own. */
    clock: (() => Date) | undefined
    serviceLimits: Pick<ServiceOptions, 'timeouts' | 'retry'> | undefined
  },
  started: AsyncDisposableStack,
): Promise<Outside> {
  const { config, log, now, clock, serviceLimits, metrics } = parts
  const { tenants, apiUrl, leftOut } = config.slack
  const observe: ObserveCall = (call) => {
    metrics.called(call)
    log.debug({ ...call, ms: Math.round(call.ms) }, 'An outgoing call has ended.')
  }
  const store = started.use(
    await openStore({
      url: config.databaseUrl,
      keys: config.encryptionKeys,
      keysFile: config.encryptionKeysFile,
      onKeys: (key) => log.info({ key }, 'The encryption keys were changed; this process has taken them up.'),
      journal: config.outcomeJournal,
      now,
      clock,
      onUnopened([what, ...row], why) {
        metrics.unopened(what)
        log.error({ what, row, kind: why.kind, err: why }, 'What is stored does not open: see docs/keys.md.')
      },
    }),
  )
  const baseUrls = serviceBaseUrls(config)
  const replicas = createReplicas()
  const service = started.use(
    createService({
      baseUrls,
      turn: createParseTurns(),
      onUnread: ({ count, paths }, { method, path }) =>
        log.warn({ count, paths: paths.slice(0, 10), method, path }, 'the service sent what cannot be read'),
      onCall: observe,
      // However many replicas there are, a workspace burdens the service as one would.
      connectionsPerCaller: () =>
        divideAmongReplicas(replicas, SERVICE_LIMITS.connectionsPerCaller, LEAST_CONNECTIONS),
      ...serviceLimits,
    }),
  )
  const responder = started.use(createResponder(apiUrl, observe))
  const tenancy = 'botToken' in tenants ? oneWorkspace(tenants.botToken, store) : installedWorkspaces(store)
  const entityOf = leftOut.has('work-objects') ? undefined : createEntityOf(leftOut)
  const worded = createNameCommands(config.commandPrefix)
  const clients = createSlackClients(apiUrl, tenancy.botTokenOf, observe, entityOf, worded)
  return { store, service, baseUrls, tenancy, clients, worded, responder, observe, replicas }
}

function serviceBaseUrls({ service }: Config): ServiceOptions['baseUrls'] {
  // Without an OTE address nothing is ever sent there: `createApiFactory` refuses the environment first.
  return { production: service.baseUrl, ote: service.oteBaseUrl ?? 'http://ote.invalid' }
}

/**
 * How many processes share the database, as far as this one has heard: each time that it says that it lives, it is told how many do.
 */
interface Replicas {
  count: number
}

const createReplicas = (): Replicas => ({ count: 1 })

/** Hears what the database says of all of them; while it says nothing, the last answer holds. */
export function heardBy(replicas: Replicas, signOfLife: () => Promise<number>): () => Promise<number> {
  return async () => {
    const count = await signOfLife()
    replicas.count = Math.max(1, count)
    return count
  }
}

/** This one's part of what all of them may have together: never less than `least`, so that it can do something. */
export const divideAmongReplicas = ({ count }: Replicas, whole: number, least: number): number =>
  Math.max(least, Math.floor(whole / count))
