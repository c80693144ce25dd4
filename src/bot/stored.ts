import type {
  Audit,
  CheckLocks,
  EphemeralState,
  IdempotencyKeys,
  LateOutcomes,
  Processes,
  SealedState,
  Settings,
  Steps,
  WorkStore,
} from '@signalman/durable'
import type { CachedReads } from './workspaces/cached-reads.ts'
import type { Channels } from './workspaces/channels.ts'
import type { Connections } from './workspaces/connections.ts'
import type { Counts, RemovalTarget } from './workspaces/forget-workspace.ts'
import type { Grants } from './workspaces/grants.ts'
import type { Installations } from './workspaces/installations.ts'

/** The stores that features use. Disposing closes the database; don't use the stores afterwards. */
export interface Stored extends AsyncDisposable {
  readonly connections: Connections
  readonly idempotencyKeys: IdempotencyKeys
  readonly ephemeralState: EphemeralState
  readonly sealedState: SealedState
  readonly channels: Channels
  readonly installations: Installations
  readonly grants: Grants
  readonly settings: Settings
  readonly cached: CachedReads
  readonly audit: Audit
  readonly work: WorkStore
  readonly checkLocks: CheckLocks
  readonly steps: Steps
  readonly lateOutcomes: LateOutcomes
  readonly processes: Processes
  /**
   * Deletes the installation and everything else of a workspace that its tables declare as deleted with it. Everything is on disk before
   * this returns. If the process dies, `finishRemoval` or the same call finishes it. The audit log, roles, and settings
   * stay for a later installation. Undefined, with nothing changed, if another installation has replaced the one in `target`.
   */
  forgetWorkspace(workspaceId: string, target?: RemovalTarget): Promise<Counts | undefined>
  /** Finishes a removal that has started, so that the app can be installed there again. */
  finishRemoval(workspaceId: string): Promise<void>
  /**
   * Calls `forgetWorkspace`, then deletes every row of the workspace from every table. One new row of its audit log records this.
   * Returns the number of rows by table.
   */
  eraseWorkspace(workspaceId: string, reference: string): Promise<ReadonlyMap<string, number>>
  /** Whether anything is stored about a workspace, also the record of its erasure. */
  hasDataAbout(workspaceId: string): Promise<boolean>
  /** The workspaces that have rows in a table. */
  listWorkspaces(table: string): Promise<string[]>
  /** Deletes expired rows, by the expiry that their tables declare. Returns the number of rows by table. */
  sweepRows(): Promise<ReadonlyMap<string, number>>
}
