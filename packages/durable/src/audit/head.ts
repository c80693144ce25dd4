/** The number and the hash of an audit row. The number isn't enough, because numbers repeat after a restore. */
export type DecidedBy = string

/**
 * The sealed facts about one workspace's log, against which its rows are verified. Only the head says which rows were removed;
 * that's never inferred from rows, dates, or settings.
 */
export interface Head {
  /** The database's life (see `Life`) in which the head was last sealed. */
  readonly life: string
  /** The life in which the chain began. */
  readonly began: string
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
  /** The last row that decided something, or 0. */
  readonly decided: number
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
  /** The last row that changed this list. */
  readonly by: number
  readonly rows: Readonly<Record<string, DecidedBy>>
}

/** A database's life: the time between two restores. */
interface Life {
  readonly id: string
  readonly at: string
  /** The number of the last anchor record before this life began. */
  readonly after: number
}

/** A stored anchor record, by number and hash. */
export interface AnchoredRecord {
  readonly n: number
  readonly hash: string
  readonly at: string
}

/** Lists the chains and how far each is anchored. It's the row of `audit_chain` without a workspace. */
export interface Register {
  readonly lives: readonly Life[]
  readonly chains: readonly string[]
  /** The number of the last anchor record, counted through all lives. */
  readonly n: number
  /** The last record in each target. */
  readonly last: Readonly<Record<string, AnchoredRecord>>
  /** The last anchored end of each chain. */
  readonly heads: Readonly<Record<string, readonly [sequence: number, hash: string]>>
  /** The record that is being written. After a crash, it's repeated unchanged. */
  readonly begun?: { readonly target: string; readonly n: number; readonly text: string } | undefined
}
