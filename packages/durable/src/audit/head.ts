/** The number and the hash of an audit row. The number isn't enough, because numbers repeat after a restore. */
export type DecidedBy = string

/**
 * The sealed facts about one workspace's log, against which its rows are verified. Only the head says which rows were removed;
 * that's never inferred from rows, dates, or settings.
 */
export interface Head {
  /** The last restore when the head was sealed; '' if there was none. */
  readonly restore: string
  /** The count of the anchor when the chain began. Records up to there are about an earlier chain. */
  readonly began: number
  /** The number of the last row; 0 before the first. */
  readonly sequence: number
  readonly hash: string
  /** The number of the first kept row, or of the next row if none is left. */
  readonly keptFrom: number
  /** The hash of the row before `keptFrom`. */
  readonly hashBefore: string
  /** What was removed before `keptFrom`: at most one retention and one erasure. */
  readonly cuts: readonly Cut[]
  /** The number of kept rows that were erased. */
  readonly erased: number
  /** The last row that decided something; empty if none did. */
  readonly decided: DecidedBy
}

/** One removal of rows from the start of a log. Sealed in the head under these names, so renaming one would break stored heads. */
export interface Cut {
  /** What removed the rows: the retention period, or the erasure of the workspace. */
  readonly why: 'retention' | 'erasure'
  /** The number of the last removed row. */
  readonly to: number
  /** The number of the audit row that records the removal. */
  readonly by: number
  /** The day of the removal, in UTC. Retention records all removals of one day in one row. */
  readonly day: string
}

/** The current settings and roles, each with the row that decided it. */
export interface Decided {
  /** The last row that changed this list; empty if none did. After a restore, another row can have the same number. */
  readonly by: DecidedBy
  readonly rows: Readonly<Record<string, DecidedBy>>
}

/** A restore from a backup. */
interface Restore {
  readonly id: string
  /** The count of the anchor in the backup. Records with a higher one are about what the restore replaced. */
  readonly after: number
}

/** The last record that was written to the anchor. */
interface LastRecord {
  readonly place: string
  readonly n: number
  readonly hash: string
  readonly at: string
  /** The ID of the key that signed it. */
  readonly key: string
}

/** Lists the chains and how far each is anchored. It's the row of `audit_chain` without a workspace. */
export interface Register {
  /** A random ID, made with the database and kept by its backups and restores. */
  readonly lineage: string
  readonly restores: readonly Restore[]
  /** When the backup was made of which the anchor doesn't have the restore yet. That record comes before any other. */
  readonly owed?: string | undefined
  readonly chains: readonly string[]
  /** The count of the last anchor record. It falls only in a restore. */
  readonly n: number
  readonly last?: LastRecord | undefined
  /** The last anchored end of each chain. */
  readonly heads: Readonly<Record<string, readonly [sequence: number, hash: string]>>
  /** The record that is being written. After a crash, it's repeated unchanged. */
  readonly begun?: { readonly place: string; readonly n: number; readonly text: string } | undefined
}

/** The ID of the last restore; '' if there was none. */
export const lastRestore = ({ restores }: Pick<Register, 'restores'>): string => restores.at(-1)?.id ?? ''
