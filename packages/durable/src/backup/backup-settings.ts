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

/** Set in a database that was restored from a backup. */
export interface Restored {
  readonly backup: string
  /** The moment of the backup: this database lacks everything later. */
  readonly madeAt: string
  readonly restoredAt: string
  /** When a person confirmed that they checked the other side for what is newer; until then nothing is sent that may have been sent already. */
  readonly confirmedAt?: string | undefined
}

/** The workspace id of settings of the whole database. */
export const WHOLE_STORE = ''

export const LAST_BACKUP = ownSetting<LastBackup>('store.last-backup')

/** A random id, another one after each restore: nothing that is kept for one database is taken for another's. */
export const STORE_ID: Setting<string | undefined> = {
  key: STORE_ID_KEY,
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

/** A random id that all restored copies of a database share: their backups have one file of workspace keys. */
export const LINEAGE: Setting<string | undefined> = {
  key: 'store.lineage',
  read: (stored) => (typeof stored === 'string' ? stored : undefined),
}

const NEVER = new Date(0).toISOString()

export const RESTORED: Setting<Restored | undefined> = {
  ...ownSetting<Restored>('store.restored'),
  // Nobody can have confirmed it.
  forged: { backup: 'unknown', madeAt: NEVER, restoredAt: NEVER },
}

/** The id of the database, or of its lineage, given to it by whoever asks first. */
export async function readId(
  settings: Pick<Settings, 'get' | 'change'>,
  setting: typeof STORE_ID | typeof LINEAGE,
): Promise<string> {
  const known = await settings.get(WHOLE_STORE, setting)
  // It stores what it returns, which is an id.
  return known ?? ((await settings.change(WHOLE_STORE, setting, (id) => id ?? randomUUID())) as string)
}

/** True until a person has confirmed that they checked the other side for what is newer. */
export const isUnconfirmed = (restored: Restored | undefined): restored is Restored =>
  restored !== undefined && restored.confirmedAt === undefined

/** Allows again what may have been sent after the backup. Undefined when there is nothing to confirm. */
export async function confirmRestore(settings: Settings, now: Date): Promise<Restored | undefined> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (!isUnconfirmed(restored)) return undefined
  const confirmed: Restored = { ...restored, confirmedAt: now.toISOString() }
  await settings.set(WHOLE_STORE, RESTORED, confirmed)
  return confirmed
}
