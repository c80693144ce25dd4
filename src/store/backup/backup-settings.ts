import type { Setting } from '../workspaces/settings.ts'

/** The last backup that was made of this database, for whoever looks after it. */
export interface LastBackup {
  readonly id: string
  readonly at: string
  readonly rows: number
  readonly bytes: number
}

/** That this database came out of a backup. */
export interface Restored {
  readonly backup: string
  /** The moment that the backup shows: of what came later, this database knows nothing. */
  readonly madeAt: string
  readonly restoredAt: string
  /** When somebody has said that they have looked at what is newer at the service; until then nothing is ordered. */
  readonly confirmedAt?: string | undefined
}

/** Of no workspace: settings of the database as a whole. */
export const WHOLE_STORE = ''

export const LAST_BACKUP: Setting<LastBackup | undefined> = {
  key: 'store.last-backup',
  // Written by `backUp` alone.
  read: (stored) => stored as LastBackup | undefined,
}

/** Random, and the same in every database that was restored from a backup of this one. */
export const STORE_ID: Setting<string | undefined> = {
  key: 'store.id',
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

export const RESTORED: Setting<Restored | undefined> = {
  key: 'store.restored',
  // Written by `restoreBackup` and `confirmRestore` alone.
  read: (stored) => stored as Restored | undefined,
}

/** True while nothing may be ordered. */
export const isUnconfirmed = (restored: Restored | undefined): restored is Restored =>
  restored !== undefined && restored.confirmedAt === undefined
