import { join } from 'node:path'
import {
  type AppendAudit,
  type AuditEvent,
  asides,
  auditAnchoring,
  auditStore,
  createBatches,
  createReadCache,
  createSealer,
  createWorkspaceKeys,
  type Database,
  type DatabaseTime,
  databaseTime,
  doAgain,
  ephemeralStateStore,
  forgedRows,
  holdsWorkspace,
  idempotencyKeyStore,
  keepUp,
  type OpenedStore,
  openProven,
  outcomeJournal,
  postAttempts,
  processStore,
  type ReadCache,
  type RecordedSteps,
  recordedSteps,
  rowProofs,
  type Sealer,
  type Settings,
  type StoreOptions,
  sealedState,
  settingStore,
  storeIdOf,
  sweepRows,
  type WorkspaceKeys,
  workStepStore,
  workStore,
} from '@signalman/durable'
import type { Stored } from '../bot/stored.ts'
import { cachedReads } from '../bot/workspaces/cached-reads.ts'
import { channelStore } from '../bot/workspaces/channels.ts'
import { connectionStore } from '../bot/workspaces/connections.ts'
import { eraseWorkspace, forgetWorkspace } from '../bot/workspaces/forget-workspace.ts'
import { grantStore } from '../bot/workspaces/grants.ts'
import { installationStore, organizationStore } from '../bot/workspaces/installations.ts'
import { eraseRequestsOf } from '../features/access/requests.ts'
import { forgetOrders } from '../features/cert-orders/rows/forget-orders.ts'
import { type StoredOrders, storedOrders } from '../features/cert-orders/rows/orders.ts'
import { ORDER_WORK } from '../features/cert-orders/rows/writing.ts'
import { type StoredThreats, sweepThreats } from '../features/threats/memory/threat-retention.ts'
import { threatCases } from '../features/threats/rows/cases.ts'
import { threatMemory } from '../features/threats/rows/memory.ts'
import { threatShares } from '../features/threats/rows/shares.ts'
import { takedownWatches } from '../features/threats/rows/takedown-watches.ts'
import { threatVersions } from '../features/threats/rows/versions.ts'
import { type WatchStore, watchStore } from '../features/watching/rows/watching.ts'
import type { Figures } from '../metrics/readings.ts'
import { readFigures } from './figures.ts'
import { MODEL } from './model.ts'

/** All that the app stores. Disposing of it closes the database; do not use it after. */
export interface Store extends Stored, StoredThreats {
  readonly orders: StoredOrders
  readonly watching: WatchStore
  /** Deletes the requests for access that a person made or decided on. Returns how many there were. */
  eraseRequestsOf(workspaceId: string, userId: string): Promise<number>
  /** Figures for monitoring. */
  figures(): Promise<Figures>
}

/**
 * Opens the database, brings its tables up to date and proves that the keys open what is sealed in it; two processes
 * may do so at once. Nothing has changed when it throws StoreError, whose message names the fault and the mend.
 */
export async function openStore(options: Omit<StoreOptions, 'model'>): Promise<Store> {
  const opened = await openProven({ ...options, model: MODEL })
  return await storeOver(opened, options).catch(async (error: unknown) => {
    await opened.database[Symbol.asyncDispose]()
    throw error
  })
}

async function storeOver(
  { database, keys }: OpenedStore,
  { now = () => new Date(), clock, onUnopened, journal: folder }: Omit<StoreOptions, 'keys' | 'model'>,
): Promise<Store> {
  const time = databaseTime(database.kind, clock)
  const sealer = createSealer(keys)
  const cache = createReadCache(database.changes)
  const workspaceKeys = createWorkspaceKeys(database, sealer, cache, { now, onUnopened })
  const proofs = rowProofs(MODEL.tables, sealer, onUnopened)
  const audit = auditStore(database, { sealer, keys, time, decided: cache.forget })
  const settings = settingStore(database, cache, proofs, audit)
  const channels = channelStore(database, cache)
  const connections = connectionStore(database, workspaceKeys, cache, proofs)
  const grants = grantStore(database, audit, proofs, now)
  const organizations = organizationStore(settings)
  const installations = installationStore(database, workspaceKeys, cache, proofs, settings, audit.appendWith)
  const { chains } = audit
  const steps = recordedSteps(database, time, workspaceKeys, audit)
  const beside = await besidesRows(database, time, { settings, sealer, steps, folder })
  // One after the other: Slack may say twice that the app is gone, and only the first call finds something to delete.
  const forget = createBatches(1, async (workspaceId, [intent]: readonly (AuditEvent | undefined)[]) => [
    await forgetWorkspace(
      database,
      {
        ...cache,
        keys: workspaceKeys,
        forgetOrders: (id) => forgetOrders(database, workspaceKeys, id, now().toISOString()),
        append: audit.appendWith,
        intent,
      },
      workspaceId,
    ),
  ])
  const forgetOne = (workspaceId: string, intent?: AuditEvent) => forget(workspaceId, intent)
  const processes = processStore(database, time, keys)
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await beside.outcomeJournal[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  const anchoring = auditAnchoring(database, chains, settings, keys)
  const stores = { connections, channels, installations, grants, organizations, settings }
  return {
    ...stores,
    idempotencyKeys: idempotencyKeyStore(database, time),
    ephemeralState: ephemeralStateStore(database, workspaceKeys),
    sealedState: sealedState(sealer),
    cached: cachedReads(cache, stores, now),
    audit,
    anchoring,
    ...ofFeatures(database, time, { cache, keys: workspaceKeys, append: audit.appendWith, settings }),
    work: workStore(database, time, workspaceKeys, processes),
    workSteps: workStepStore(database, time, workspaceKeys, audit.appendWith),
    recordedSteps: steps,
    ...beside,
    postAttempts: postAttempts(database, time),
    processes,
    forgedRows: () => forgedRows(database.reading, MODEL.tables, sealer),
    figures: () => readFigures(database, time, { settings, anchoring }),
    forgetWorkspace: forgetOne,
    eraseRequestsOf: (workspaceId, userId) => eraseRequestsOf(settings, workspaceId, userId),
    sweepRows: () => sweepRows(database, time),
    shrink: (signal) => database.shrink(signal),
    silentMs: () => database.silentMs(),
    eraseWorkspace(workspaceId, reference) {
      const all = { ...cache, chains, forget: forgetOne, keys: workspaceKeys, reference, now: now() }
      return eraseWorkspace(database, all, workspaceId)
    },
    ping: () => keepUp(database, keys),
    async [Symbol.asyncDispose]() {
      closing ??= close()
      await closing
    },
  }
}

/** What each feature stores, and what becomes of it with time. */
function ofFeatures(
  database: Database,
  time: DatabaseTime,
  parts: { cache: ReadCache; keys: WorkspaceKeys; append: AppendAudit; settings: Settings },
): Pick<Store, 'orders' | 'watching' | 'sweepFeatures' | keyof StoredThreats> {
  const { cache, keys, append, settings } = parts
  const orders = storedOrders(database, time, keys, append)
  const watching = watchStore(database, time, cache)
  const threats = {
    threatMemory: threatMemory(database, keys),
    threatVersions: threatVersions(database),
    threatCases: threatCases(database, time, keys),
    threatShares: threatShares(database),
    takedownWatches: takedownWatches(database, time, keys),
  }
  return {
    orders,
    watching,
    ...threats,
    async sweepFeatures(now, signal) {
      await sweepThreats({ ...threats, settings }, now, signal)
    },
  }
}

/** What is kept of the database elsewhere: known outcomes on this machine, and what restores have put aside. */
async function besidesRows(
  database: Database,
  time: DatabaseTime,
  parts: { settings: Settings; sealer: Sealer; steps: RecordedSteps; folder: string | undefined },
): Promise<Pick<Store, 'asides' | 'knows' | 'outcomeJournal'>> {
  const { settings, sealer, steps, folder = journalFolder(database) } = parts
  // Each store has a folder of its own there, so that none takes an outcome for its own after a restore.
  const own = folder && join(folder, await storeIdOf(settings))
  const aside = asides(database, folder)
  return {
    asides: aside,
    knows: async (workspaceId) =>
      (await holdsWorkspace(database.rows, database, workspaceId)) || (await aside.hold(workspaceId)),
    outcomeJournal: outcomeJournal(steps, sealer, own, (workId) =>
      // An order that was taken for unknown reads its answer.
      doAgain(database.rows, time, ORDER_WORK.submit, workId),
    ),
  }
}

/** None for a database in memory, which ends with its process. */
const journalFolder = ({ kind, file }: Database): string | undefined =>
  kind === 'postgres' ? join('data', 'journal') : file && `${file}.journal`
