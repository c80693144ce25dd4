/** The number and the hash of an audit row: after a restore, numbers repeat. */
export type DecidedBy = string

/** What must be true of one workspace's log. It alone says what was removed: nothing is inferred from rows, dates, or settings. */
export interface Head {
  /** The database's life in which it was last sealed, and the one in which the chain began. */
  readonly life: string
  readonly began: string
  /** The number of the last row; 0 before the first. */
  readonly sequence: number
  readonly hash: string
  /** The number of the first row that is kept, or of the next row where none is left. */
  readonly keptFrom: number
  /** The hash of the row before that one. */
  readonly hashBefore: string
  /** What was removed before it: at most one retention and one erasure. */
  readonly cuts: readonly Cut[]
  /** How many of the kept rows were erased. */
  readonly erased: number
  /** The last row that decided something; 0 before the first. */
  readonly decided: number
}

/** A removal from the start of a log. */
export interface Cut {
  readonly why: 'retention' | 'erasure'
  /** The last row that was removed. */
  readonly to: number
  /** The row that records it. */
  readonly by: number
  /** In UTC. */
  readonly day: string
}

/** The settings and roles of now, each by the row that decided it. */
export interface Decided {
  /** The last row that changed this list. */
  readonly by: number
  readonly rows: Readonly<Record<string, DecidedBy>>
}

/** The time between two restores of a database. */
interface Life {
  readonly id: string
  readonly at: string
  /** The number of the last anchor record that was put before it began. */
  readonly after: number
}

/** An anchor record that was put somewhere, by its number and its hash. */
export interface PutRecord {
  readonly n: number
  readonly hash: string
  readonly at: string
}

/** Which chains there are, and what was anchored of them: the row of `audit_chain` of no workspace. */
export interface Register {
  readonly lives: readonly Life[]
  readonly chains: readonly string[]
  /** The number of the last anchor record, through all lives. */
  readonly n: number
  /** The last record in each target. */
  readonly last: Readonly<Record<string, PutRecord>>
  /** The end of each chain that was anchored last. */
  readonly heads: Readonly<Record<string, readonly [sequence: number, hash: string]>>
  /** The record that is being put: it is repeated unchanged after a crash. */
  readonly begun?: { readonly target: string; readonly n: number; readonly text: string } | undefined
}
