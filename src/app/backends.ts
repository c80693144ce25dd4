import type { Log, ObserveCall } from '@signalman/runtime'
import { createResponder, createSlackClients, type Responder, type SlackClients } from '@signalman/slack'
import { createMultiTenancy, createSingleTenancy, type Tenancy } from '../bot/install/tenancy.ts'
import type { Config } from '../config.ts'
import { setCommandPrefix } from '../domain/command-names.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { SERVICE_LIMITS } from '../service/limits.ts'
import { createService, type Service, type ServiceOptions } from '../service/service.ts'
import { openStore, type Store } from './store.ts'

/** Enough to read a page of a listing and its related data in parallel. */
const MIN_CONNECTIONS = 4

export interface Backends {
  store: Store
  service: Service
  baseUrls: ServiceOptions['baseUrls']
  tenancy: Tenancy
  clients: SlackClients
  responder: Responder
  /** Logs an outgoing call and counts it in the metrics. */
  observe: ObserveCall
  replicas: Replicas
}

/** Opens all connections; disposing of `started` closes them. Throws StoreError. */
export async function openBackends(
  deps: {
    config: Config
    log: Log
    metrics: Metrics
    now: () => Date
    /** Replaces the database's clock in tests. */
    clock: (() => Date) | undefined
    serviceLimits: Pick<ServiceOptions, 'timeouts' | 'retry' | 'namesKeptMs'> | undefined
  },
  started: AsyncDisposableStack,
): Promise<Backends> {
  const { config, log, now, clock, serviceLimits, metrics } = deps
  const { tenants, apiUrl } = config.slack
  const observe: ObserveCall = (call) => {
    metrics.recordCall(call)
    log.debug({ ...call, ms: Math.round(call.ms) }, 'Outgoing call')
  }
  const store = started.use(
    await openStore({
      url: config.databaseUrl,
      keys: config.encryptionKeys,
      onAuditWritten: ({ object, reference, ...row }) =>
        log.info({ reference, audit: { ...row, object: dropName(object) } }, 'Audit entry'),
      now,
      clock,
      onDecryptError([contentKind, ...row], error) {
        metrics.countUndecryptableRow(contentKind)
        log.error(
          { what: contentKind, row, kind: error.kind, err: error },
          "Stored data can't be decrypted. See docs/keys.md.",
        )
      },
    }),
  )
  const { baseUrl, oteBaseUrl } = config.service
  // Without an OTE address, `createApiFactory` rejects that environment, so nothing is ever sent to this placeholder.
  const baseUrls = { production: baseUrl, ote: oteBaseUrl ?? 'http://ote.invalid' }
  const replicas: Replicas = { count: 1 }
  const service = started.use(
    createService({
      baseUrls,
      onParseIssues: ({ count, paths }, { method, path }) =>
        log.warn(
          { count, paths: paths.slice(0, 10), method, path },
          "The service sent data that can't be read.",
        ),
      onCall: observe,
      // Divided among the replicas, so that adding replicas doesn't let a workspace put more load on the service.
      connectionsPerCaller: () =>
        divideAmongReplicas(replicas, SERVICE_LIMITS.connectionsPerCaller, MIN_CONNECTIONS),
      ...serviceLimits,
    }),
  )
  const responder = started.use(createResponder(apiUrl, observe))
  const tenancy =
    'botToken' in tenants ? createSingleTenancy(tenants.botToken, store) : createMultiTenancy(store)
  started.use(setCommandPrefix(config.commandPrefix))
  const clients = createSlackClients(apiUrl, tenancy.findBotToken, observe)
  return { store, service, baseUrls, tenancy, clients, responder, observe, replicas }
}

interface Replicas {
  count: number
}

/** Sends a heartbeat and updates the number of processes. If the database doesn't respond, the number stays the same. */
export function createHeartbeat(
  replicas: Replicas,
  sendHeartbeat: () => Promise<number>,
): () => Promise<number> {
  return async () => {
    const count = await sendHeartbeat()
    replicas.count = Math.max(1, count)
    return count
  }
}

/** Divides a limit for all processes by their number. Returns at least `minimum`. */
export const divideAmongReplicas = ({ count }: Replicas, total: number, minimum: number): number =>
  Math.max(minimum, Math.floor(total / count))

/**
 * `health-check 3f2a…`, `order 12`. Undefined for an object that has only a name, which stays in the audit log. A health check has a UUID, so
 * a name that looks like another kind of ID isn't taken for one.
 */
const dropName = (object: string | null): string | undefined => OBJECT_WITHOUT_NAME.exec(object ?? '')?.[0]

const OBJECT_WITHOUT_NAME =
  /^(?:health-check [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?!health-check )[a-z -]{1,40} (?:\d+|[\w-]{22}|[A-Z][A-Z0-9]{8,}|[0-9a-f-]{36}))(?![\w-])/
