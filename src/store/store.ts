import { hash } from 'node:crypto'
import { type Anchoring, auditAnchoring } from './anchor/anchoring.ts'
import { type Audit, auditStore } from './audit/audit.ts'
import { auditChains } from './audit/chain.ts'
import { createBatches } from './database/batches.ts'
import { databaseTime } from './database/clock.ts'
import type { Database } from './database/database.ts'
import { type Processes, processStore } from './database/processes.ts'
import { createReadCache } from './database/read-cache.ts'
import { type Figures, readFigures } from './figures.ts'
import { type StoredOrders, storedOrders } from './orders/orders.ts'
import { refuseOutdated } from './secrets/key-check.ts'
import { type OpenedStore, openProven, type StoreOptions } from './secrets/opening.ts'
import { createSealer } from './secrets/seal.ts'
import { type SealedState, sealedState } from './secrets/sealed-state.ts'
import { createWorkspaceKeys } from './secrets/workspace-keys.ts'
import { type ThreatCases, threatCases } from './threats/cases.ts'
import { type ThreatMemory, threatMemory } from './threats/memory.ts'
import { type ThreatShares, threatShares } from './threats/shares.ts'
import { type TakedownWatches, takedownWatches } from './threats/takedown-watches.ts'
import { type ThreatVersions, threatVersions } from './threats/versions.ts'
import { type WatchStore, watchStore } from './watching/watching.ts'
import { type RecordedSteps, recordedSteps } from './work/act-steps.ts'
import { type EphemeralState, ephemeralStateStore } from './work/ephemeral-state.ts'
import { type IdempotencyKeys, idempotencyKeyStore } from './work/idempotency-keys.ts'
import { type WorkSteps, workStepStore } from './work/job-steps.ts'
import { type OutcomeJournal, outcomeJournal } from './work/outcome-journal.ts'
import { type PostAttempts, postAttempts } from './work/post-attempts.ts'
import { type WorkStore, workStore } from './work/work-store.ts'
import { type CachedReads, cachedReads } from './workspaces/cached-reads.ts'
import { type Channels, channelStore } from './workspaces/channels.ts'
import { type Connections, connectionStore } from './workspaces/connections.ts'
import { eraseWorkspace } from './workspaces/erase-workspace.ts'
import { type Forgotten, forgetWorkspace } from './workspaces/forget-workspace.ts'
import { type Grants, grantStore } from './workspaces/grants.ts'
import { type Installations, installationStore } from './workspaces/installations.ts'
import { type Organizations, organizationStore } from './workspaces/organizations.ts'
import { type Settings, settingStore } from './workspaces/settings.ts'

export type { Audit, AuditQuery } from './audit/audit.ts'
export type { AuditFold } from './audit/fold.ts'
export type { AuditEntry, AuditEvent } from './audit/row.ts'
export type { AuditVerdict } from './audit/verify.ts'
export type { AuditFault } from './audit/walk.ts'
export { StoreError, type StoreErrorKind, WorkspaceForgotten } from './database/errors.ts'
export type { AuditOutcome, InstallationKind } from './database/schema.ts'
export type { Figures } from './figures.ts'
export type { StoredOrders } from './orders/orders.ts'
export type { OrderQuery } from './orders/queries.ts'
export type { NewOrder, OrderCard, OrderCards, OrderEvent, StoredOrder, UnopenedOrder } from './orders/row.ts'
export { ORDER_WORK } from './orders/writing.ts'
export type { StoreOptions } from './secrets/opening.ts'
export { SealError } from './secrets/seal.ts'
export type { CardPlace, ThreatCase, UnopenedCase } from './threats/case-rows.ts'
export {
  type AskedEvent,
  CASE_WORK,
  type CaseOutcome,
  type TakeStep,
  type ThreatCases,
} from './threats/cases.ts'
export type { SeenThreat, ThreatMemory } from './threats/memory.ts'
export type { ThreatShares } from './threats/shares.ts'
export {
  TAKEDOWN_WORK,
  type TakedownContent,
  type TakedownWatch,
  type TakedownWatches,
} from './threats/takedown-watches.ts'
export type { ThreatVersions } from './threats/versions.ts'
export type { HistoryQuery } from './watching/history.ts'
export { WATCH_WORK } from './watching/watch-work.ts'
export type { WatchStore } from './watching/watching.ts'
export type { RecordedStep, RecordedSteps } from './work/act-steps.ts'
export type { BegunStep, JobStep, StepCounts, StepOutcome, WorkSteps } from './work/job-steps.ts'
export type { Lease, Share, WorkEnd } from './work/leases.ts'
export type { OutcomeJournal } from './work/outcome-journal.ts'
export type { PostAttempts } from './work/post-attempts.ts'
export { newWorkId, type Scheduled } from './work/schedule.ts'
export type { NewWork, Work } from './work/work-row.ts'
export type { Started, WorkStore } from './work/work-store.ts'
export type { Connection, ConnectionSummary } from './workspaces/connections.ts'
export type { Forgotten } from './workspaces/forget-workspace.ts'
export type { Installation, InstallationSummary } from './workspaces/installations.ts'
export type { Setting } from './workspaces/settings.ts'

/** All that the app stores. Disposing of it closes the database; do not use it after. */
export interface Store extends AsyncDisposable {
  readonly connections: Connections
  readonly idempotencyKeys: IdempotencyKeys
  readonly ephemeralState: EphemeralState
  readonly sealedState: SealedState
  readonly channels: Channels
  readonly installations: Installations
  readonly organizations: Organizations
  readonly grants: Grants
  readonly settings: Settings
  readonly cached: CachedReads
  readonly audit: Audit
  readonly anchoring: Anchoring
  readonly orders: StoredOrders
  readonly watching: WatchStore
  readonly threatMemory: ThreatMemory
  readonly threatVersions: ThreatVersions
  readonly threatCases: ThreatCases
  readonly threatShares: ThreatShares
  readonly takedownWatches: TakedownWatches
  readonly work: WorkStore
  readonly workSteps: WorkSteps
  readonly recordedSteps: RecordedSteps
  readonly outcomeJournal: OutcomeJournal
  readonly postAttempts: PostAttempts
  readonly processes: Processes
  /** Figures for monitoring. */
  figures(): Promise<Figures>
  /**
   * Deletes the installation, connections, ephemeral state and work of a workspace (or the installation of an organization, by its
   * id); then ends its open orders and empties all of them. All is on disk before this returns; after a kill, the same call finishes
   * it. Its audit log, roles and settings stay: a later installation finds them.
   */
  forgetWorkspace(workspaceId: string): Promise<Forgotten>
  /**
   * Calls `forgetWorkspace`, then deletes every row of the workspace in every table; one new row of its audit log records this.
   * Returns rows by table.
   */
  eraseWorkspace(workspaceId: string, reference: string): Promise<ReadonlyMap<string, number>>
  /** Gives the space of deleted rows back to the disk, a little at a time. */
  shrink(signal?: AbortSignal): Promise<void>
  /** Throws when the database does not answer, and StoreError `wrong-key` when other processes have gone on to keys that this one lacks. */
  ping(): Promise<void>
}

/**
 * Opens the database, brings its tables up to date and proves that the keys open what is sealed in it; two processes
 * may do so at once. Nothing has changed when it throws StoreError, whose message names the fault and the mend.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  return storeOver(await openProven(options), options)
}

function storeOver(
  { database, keys, hasWorkspaceKeys: isOn }: OpenedStore,
  { url, now = () => new Date(), clock, onUnopened }: Omit<StoreOptions, 'keys'>,
): Store {
  const time = databaseTime(database.kind, clock)
  const sealer = createSealer(keys)
  const cache = createReadCache(database.changes)
  const workspaceKeys = createWorkspaceKeys(database, sealer, cache, { isOn, now, onUnopened })
  const settings = settingStore(database, cache)
  const channels = channelStore(database, cache)
  const connections = connectionStore(database, workspaceKeys, cache)
  const installations = installationStore(database, workspaceKeys, cache)
  const grants = grantStore(database, cache, now)
  const organizations = organizationStore(database, settings)
  const audit = auditStore(database, sealer)
  const chains = auditChains(database, sealer)
  const steps = recordedSteps(database, time, workspaceKeys, audit.appendWith)
  const journal = outcomeJournal(steps, sealer, journalFolder(database, url))
  // One after the other: Slack may say twice that the app is gone, and only the first call finds something to delete.
  const forget = createBatches(1, async (workspaceId) => [
    await forgetWorkspace(database, { ...cache, keys: workspaceKeys, now, time }, workspaceId),
  ])
  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    await journal[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
  const anchoring = auditAnchoring(database, chains, settings, keys)
  return {
    connections,
    idempotencyKeys: idempotencyKeyStore(database, time),
    ephemeralState: ephemeralStateStore(database, workspaceKeys),
    sealedState: sealedState(sealer),
    channels,
    installations,
    grants,
    organizations,
    cached: cachedReads(cache, { channels, connections, grants, installations, organizations }, now),
    settings,
    audit,
    anchoring,
    orders: storedOrders(database, time, workspaceKeys, audit.appendWith),
    watching: watchStore(database, time),
    threatMemory: threatMemory(database, workspaceKeys),
    threatVersions: threatVersions(database),
    threatCases: threatCases(database, time, workspaceKeys),
    threatShares: threatShares(database),
    work: workStore(database, time, workspaceKeys),
    workSteps: workStepStore(database, time, workspaceKeys, audit.appendWith),
    takedownWatches: takedownWatches(database, time, workspaceKeys),
    recordedSteps: steps,
    outcomeJournal: journal,
    postAttempts: postAttempts(database, time),
    processes: processStore(database, time),
    figures: () => readFigures(database, time, { settings, anchoring }),
    forgetWorkspace: (workspaceId) => forget(workspaceId, undefined),
    shrink: (signal) => database.shrink(signal),
    eraseWorkspace: (workspaceId, reference) =>
      eraseWorkspace(
        database,
        {
          ...cache,
          chains,
          forget: (id) => forget(id, undefined),
          keys: workspaceKeys,
          reference,
          now: now(),
        },
        workspaceId,
      ),
    async ping() {
      await refuseOutdated(database, keys())
    },
    async [Symbol.asyncDispose]() {
      closing ??= close()
      await closing
    },
  }
}

/** Beside a SQLite file; for PostgreSQL in `data/`, under a name of the database's own. */
function journalFolder({ kind, file }: Database, url: string): string | undefined {
  if (kind === 'sqlite') return file && `${file}.journal`
  const { host = '', pathname = '' } = URL.parse(url) ?? {}
  return `data/signalman-${hash('sha256', `${host}${pathname}`, 'hex').slice(0, 16)}.journal`
}
