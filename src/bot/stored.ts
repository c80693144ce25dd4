import type {
  Anchoring,
  Audit,
  EphemeralState,
  IdempotencyKeys,
  OutcomeJournal,
  PostAttempts,
  Processes,
  RecordedSteps,
  RetiredDatabases,
  SealedState,
  Settings,
  WorkSteps,
  WorkStore,
} from '@signalman/durable'
import type { CachedReads } from './workspaces/cached-reads.ts'
import type { Channels } from './workspaces/channels.ts'
import type { Connections } from './workspaces/connections.ts'
import type { Forgetting, Forgotten, Meant } from './workspaces/forget-workspace.ts'
import type { Grants } from './workspaces/grants.ts'
import type { Installations, Organizations } from './workspaces/installations.ts'

/** All that is stored for every feature. Disposing of it closes the database; do not use it after. */
export interface Stored extends AsyncDisposable {
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
  readonly work: WorkStore
  readonly workSteps: WorkSteps
  readonly recordedSteps: RecordedSteps
  readonly outcomeJournal: OutcomeJournal
  readonly postAttempts: PostAttempts
  readonly processes: Processes
  /** A sentence for each row that decides something and that this program has not written as it is. */
  forgedRows(): AsyncIterable<string>
  /** What restores have put aside. */
  readonly retiredDatabases: RetiredDatabases
  /**
   * Deletes the installation, connections, ephemeral state and work of a workspace (or of an organization, by its id, and of all
   * workspaces that only its installation covers); then ends its open orders and empties all of them. All is on disk before this
   * returns; after a kill, `finishRemoval` or the same call finishes it. Its audit log, roles and settings stay: a later installation
   * finds them. Undefined, with nothing changed, if another installation is there than the one that is meant.
   */
  forgetWorkspace(workspaceId: string, meant?: Meant): Promise<Forgotten>
  /** Finishes a removal that has begun, so that the app may be installed there again. */
  finishRemoval(workspaceId: string): Promise<void>
  /** Deletes a workspace's own installation only, because its organization's covers it. False if another one is there by now. */
  removeCovered: Forgetting['uncover']
  /**
   * Calls `forgetWorkspace`, then deletes every row of the workspace in every table; one new row of its audit log records this.
   * Returns rows by table. It doesn’t reach databases that a restore replaced: `retiredDatabases.erase` does.
   */
  eraseWorkspace(workspaceId: string, reference: string): Promise<ReadonlyMap<string, number>>
  /** Whether anything is stored of a workspace, if only the row that says that it was erased, or what a restore has put aside. */
  knows(workspaceId: string): Promise<boolean>
  /** Gives the space of deleted rows back to the disk, a little at a time. */
  shrink(signal?: AbortSignal): Promise<void>
  /** Takes up the keys of now. Throws when the database does not answer, and StoreError `wrong-key` when this process lacks them. */
  ping(): Promise<void>
  /** For how long the database has owed an answer and given none; 0 while it owes none. */
  silentMs(): number
  /** Deletes the rows that their tables declare as over. Returns how many by table. */
  sweepRows(): Promise<ReadonlyMap<string, number>>
  /** Deletes rows of features that are over by their own rules. */
  sweepFeatures(now: Date, signal?: AbortSignal): Promise<void>
}
