import type { LeftOut } from './fill.ts'
import type { BackupHeader } from './format.ts'
import type { NewerInFormer } from './former.ts'

export interface Restoration extends LeftOut {
  readonly header: BackupHeader
  /** Where the former database is now: a file, or a schema of PostgreSQL. */
  readonly former: string | undefined
  /** Why nothing of the former one could be read. */
  readonly damage: string | undefined
  /** What the former database held and the backup lacks. */
  readonly newer: NewerInFormer | undefined
}

/** What the restore into either kind of database says. */
export type InPlace = Omit<Restoration, 'header'>
