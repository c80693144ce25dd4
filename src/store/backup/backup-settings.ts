import type { Setting } from '../workspaces/settings.ts'

/** The last backup of this database, for monitoring. */
export interface LastBackup {
  readonly id: string
  readonly at: string
  readonly rows: number
  readonly bytes: number
}

/** Set in a database that was restored from a backup. */
export interface Restored {
  readonly backup: string
  /** The moment of the backup: this database lacks everything later. */
  readonly madeAt: string
  readonly restoredAt: string
  /** When a person confirmed that they checked the service for newer orders; until then no order is placed. */
  readonly confirmedAt?: string | undefined
}

/** The workspace id of settings of the whole database. */
export const WHOLE_STORE = ''

export const LAST_BACKUP: Setting<LastBackup | undefined> = {
  key: 'store.last-backup',
  // Only `backUp` writes it.
  read: (stored) => stored as LastBackup | undefined,
}

/** A random id; a database that was restored from a backup of this one has the same. */
export const STORE_ID: Setting<string | undefined> = {
  key: 'store.id',
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

export const RESTORED: Setting<Restored | undefined> = {
  key: 'store.restored',
  // Only `restoreBackup` and `confirmRestore` write it.
  read: (stored) => stored as Restored | undefined,
}

/** True while no order may be placed. */
export const isUnconfirmed = (restored: Restored | undefined): restored is Restored =>
  restored !== undefined && restored.confirmedAt === undefined
