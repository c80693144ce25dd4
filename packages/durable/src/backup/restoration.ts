import type { Omissions } from './fill-database.ts'
import type { BackupHeader } from './format.ts'
import type { NewerRecords } from './former-database.ts'

export interface Restoration extends Omissions {
  readonly header: BackupHeader
  /** Where the replaced database is now: a file, or a PostgreSQL schema. */
  readonly former: string | undefined
  /** Whether the replaced database is another one than that of the backup. */
  readonly isOther: boolean
  /** Why the replaced database couldn't be read. */
  readonly damage: string | undefined
  /** What the replaced database contains and the backup doesn't. */
  readonly newer: NewerRecords | undefined
}

/** The result of restoring into either kind of database. */
export type DatabaseRestoration = Omit<Restoration, 'header'>
