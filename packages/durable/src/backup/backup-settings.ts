import { randomUUID } from 'node:crypto'
import { STORE_ID_KEY } from '../secrets/outcome-files.ts'
import { ownSetting, type Setting, type Settings } from '../settings.ts'

/** The last backup of this database, for monitoring. */
export interface LastBackup {
  readonly id: string
  readonly at: string
  readonly rows: number
  readonly bytes: number
}

/** Present in a database that was restored from a backup. */
export interface Restored {
  readonly backup: string
  /** When the backup was made. Everything later is missing from this database. */
  readonly madeAt: string
  readonly restoredAt: string
  /**
   * When someone confirmed that they checked the other systems for newer data. Until then, nothing is sent that may already have
   * been sent.
   */
  readonly confirmedAt?: string | undefined
}

/** The workspace ID of settings that apply to the whole database. */
export const WHOLE_STORE = ''

export const LAST_BACKUP = ownSetting<LastBackup>('store.last-backup')

/** A random ID that changes with each restore, so that files kept for one database are never mistaken for another's. */
export const STORE_ID: Setting<string | undefined> = {
  key: STORE_ID_KEY,
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

/** A random ID shared by all restored copies of a database. Their backups share one file of workspace keys. */
export const LINEAGE: Setting<string | undefined> = {
  key: 'store.lineage',
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

const NEVER = new Date(0).toISOString()

export const RESTORED: Setting<Restored | undefined> = {
  ...ownSetting<Restored>('store.restored'),
  // A forged row counts as an unconfirmed restore, which is the safe side.
  valueIfForged: { backup: 'unknown', madeAt: NEVER, restoredAt: NEVER },
}

/** Reads the ID of the database or its lineage. The first caller creates it. */
export async function readId(
  settings: Pick<Settings, 'get' | 'change'>,
  setting: typeof STORE_ID | typeof LINEAGE,
): Promise<string> {
  const existing = await settings.get(WHOLE_STORE, setting)
  // `change` stores and returns what the callback returns, which is an ID.
  return existing ?? ((await settings.change(WHOLE_STORE, setting, (id) => id ?? randomUUID())) as string)
}

/** True until someone has confirmed that they checked the other systems for newer data. */
export const isUnconfirmed = (restored: Restored | undefined): restored is Restored =>
  restored !== undefined && restored.confirmedAt === undefined

/** Allows requests again that may have been sent after the backup. Returns undefined if there is nothing to confirm. */
export async function confirmRestore(settings: Settings, now: Date): Promise<Restored | undefined> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (!isUnconfirmed(restored)) return undefined
  const confirmed: Restored = { ...restored, confirmedAt: now.toISOString() }
  await settings.set(WHOLE_STORE, RESTORED, confirmed)
  return confirmed
}
