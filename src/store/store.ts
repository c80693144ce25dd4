import { type Audit, auditStore } from './audit.ts'
import { createBatches } from './batches.ts'
import { type CachedReads, cachedReads } from './cached-reads.ts'
import { type Channels, channelStore } from './channels.ts'
import { type Claims, claimStore } from './claims.ts'
import { type Connections, connectionStore } from './connections.ts'
import type { Database } from './database.ts'
import { type EphemeralState, ephemeralStateStore } from './ephemeral-state.ts'
import { type Forgotten, forgetWorkspace } from './forget-workspace.ts'
import { type Grants, grantStore } from './grants.ts'
import { type Installations, installationStore } from './installations.ts'
import { type JobSteps, jobStepStore } from './job-steps.ts'
import { type Jobs, jobStore } from './jobs.ts'
import { refuseOutdated } from './key-check.ts'
import type { Keyring } from './keys.ts'
import { openProven, type StoreOptions } from './opening.ts'
import { type Orders, orderStore } from './orders.ts'
import { type Organizations, organizationStore } from './organizations.ts'
import { createReadCache } from './read-cache.ts'
import { createSealer } from './seal.ts'
import { type SealedState, sealedState } from './sealed-state.ts'
import { type Settings, settingStore } from './settings.ts'

export type { Audit, AuditQuery } from './audit.ts'
export type { AuditDeed, AuditEntry } from './audit-row.ts'
export type { AuditVerdict } from './audit-verify.ts'
export type { AuditFault } from './audit-walk.ts'
export type { Connection, ConnectionSummary } from './connections.ts'
export { StoreError, type StoreErrorKind } from './errors.ts'
export type { Forgotten } from './forget-workspace.ts'
export { EVERYONE, type Grant, type Subject } from './grants.ts'
export type { Installation, InstallationSummary } from './installations.ts'
export type { BegunStep, JobSteps, Outcome, Step, StepCounts } from './job-steps.ts'
export type { Job, Jobs, Started } from './jobs.ts'
export type { StoreOptions } from './opening.ts'
export type { OrderQuery } from './order-queries.ts'
export type { NewOrder, OrderEvent, Orders, StoredOrder } from './orders.ts'
export type { AuditOutcome, Environment, InstallationKind, OrderState, Role, SubjectKind } from './schema.ts'
export { SealError } from './seal.ts'
export type { Setting } from './settings.ts'

/** What is remembered. Disposing of it closes the database; nothing of it may be used after. */
export interface Store extends AsyncDisposable {
  readonly connections: Connections
  readonly claims: Claims
  readonly ephemeralState: EphemeralState
  readonly sealedState: SealedState
  readonly channels: Channels
  readonly installations: Installations
  readonly organizations: Organizations
  readonly grants: Grants
  readonly settings: Settings
  readonly cached: CachedReads
  readonly audit: Audit
  readonly orders: Orders
  readonly jobs: Jobs
  readonly jobSteps: JobSteps
  /**
   * Wipes the installation, connections, ephemeral state and jobs of a workspace (or the installation of an organization, by its id)
   * at once; then ends its open orders and empties all of them, some at a time. All is on disk before this returns; after a
   * kill, the same call goes on. Its audit log, roles and settings stay: a later installation finds them.
   */
  forgetWorkspace(workspaceId: string): Promise<Forgotten>
  /** Throws when the database does not answer, and StoreError `wrong-key` when other processes have gone on to keys that this one lacks. */
  ping(): Promise<void>
}

/**
 * Opens the database, brings its tables up to date and proves that the keys open what is sealed in it; two processes
 * may do so at once. Nothing has changed when it throws StoreError, whose message names the fault and the mend.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { database, keys } = await openProven(options)
  return storeOver(database, keys, options.now ?? (() => new Date()))
}

function storeOver(database: Database, keys: () => Keyring, now: () => Date): Store {
  const sealer = createSealer(keys)
  const cache = createReadCache(database.changeMark)
  const settings = settingStore(database, cache)
  const channels = channelStore(database, cache)
  const connections = connectionStore(database, sealer, cache)
  const installations = installationStore(database, sealer, cache)
  const grants = grantStore(database, cache)
  const organizations = organizationStore(database, settings)
  // One after the other, where Slack says twice that the app is gone: only one of them then has something to tell.
  const forget = createBatches(1, async (workspaceId) => [
    await forgetWorkspace(database, { ...cache, sealer, now }, workspaceId),
  ])
  let closing: Promise<void> | undefined
  return {
    connections,
    claims: claimStore(database),
    ephemeralState: ephemeralStateStore(database, sealer),
    sealedState: sealedState(sealer),
    channels,
    installations,
    grants,
    organizations,
    cached: cachedReads(cache, { channels, connections, grants, installations, organizations }),
    settings,
    audit: auditStore(database, sealer),
    orders: orderStore(database, sealer),
    jobs: jobStore(database, sealer),
    jobSteps: jobStepStore(database, sealer),
    forgetWorkspace: (workspaceId) => forget(workspaceId, undefined),
    async ping() {
      await refuseOutdated(database, keys())
    },
    async [Symbol.asyncDispose]() {
      closing ??= Promise.resolve(database[Symbol.asyncDispose]())
      await closing
    },
  }
}
