import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { readBackupHeader, readWorkspaceKeys } from '../../../packages/durable/src/backup/restore.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { EMPTY_DATABASES, KEY_A, KEY_B, makeFolder, type TestDatabase } from '../../databases/databases.ts'
import {
  backUp,
  backUpKeys,
  openDatabase,
  restoreBackup,
  rotateKeys,
  verifyBackup,
} from '../../databases/open.ts'
import { eitherOf } from '../../long.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const BOTH_KEYS = `${KEY_B},${KEY_A}`
const IDS = ['T1', 'T2', 'T3']

async function withStore<T>(
  address: { url: string; keys: string },
  work: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await openStore(address)
  return await work(store)
}

const save = (store: Store, workspaceId: string) =>
  store.connections.save({
    workspaceId,
    environment: 'production',
    token: `of ${workspaceId}`,
    userId: 'U1',
    now: NOW,
  })

/** Returns the workspaces whose tokens can be decrypted. Fails if the audit log has faults. */
const listReadable = (address: { url: string; keys: string }): Promise<string[]> =>
  withStore(address, async (store) => {
    const found: string[] = []
    for (const id of IDS) {
      if ((await store.connections.find(id, 'production'))?.token === `of ${id}`) found.push(id)
      expect((await store.audit.verify(id)).faults).toEqual([])
    }
    expect((await store.audit.verifyAll()).faults).toEqual([])
    return found
  })

/** Adds a table and a migration that this version doesn't know, as a newer version would. */
async function upgrade(address: TestDatabase): Promise<void> {
  await using database = await openDatabase(address.url)
  await database.withExclusiveLock(async (rows) => {
    await sql`create table next_thing (id text primary key)`.execute(rows)
    await sql`insert into migration (name, applied_at) values ('999-next', '2026')`.execute(rows)
  })
}

it.each(eitherOf(EMPTY_DATABASES))(
  'can decrypt everything after each step of a backup drill on $name, except what was erased',
  async ({ start }) => {
    using folder = makeFolder()
    await using original = await start()
    await using copy = await start()
    const backupPath = (name: string): string => join(folder.path, `${name}.backup`)
    const restoreAndList = async (path: string, keys: string): Promise<string[]> => {
      await using fresh = await start()
      await restoreBackup({ url: fresh.url, keys, path })
      return await listReadable({ url: fresh.url, keys })
    }
    await withStore(original, async (store) => {
      for (const id of IDS) await save(store, id)
    })
    await backUp(original, backupPath('first'))
    for (let round = 0; round < 2; round++) {
      await upgrade(original)
      await expect(openStore(original)).rejects.toMatchObject({ kind: 'newer' })
      await restoreBackup({ ...original, path: backupPath('first'), isReplacing: true })
      expect(await listReadable(original)).toEqual(IDS)
    }
    // A copy on another machine adds its keys to the same key file.
    await restoreBackup({ ...copy, path: backupPath('first') })
    await backUp(copy, backupPath('copy'))
    await backUp(original, backupPath('original'))
    for (const name of ['first', 'original', 'copy'])
      expect(await restoreAndList(backupPath(name), KEY_A)).toEqual(IDS)
    // Rotates to another key, next to an idle process that has both.
    await using idle = await openStore({ url: original.url, keys: BOTH_KEYS })
    await idle.processes.heartbeat('idle')
    expect(await rotateKeys({ url: original.url, keys: BOTH_KEYS })).toMatchObject({
      undecryptable: [],
      unusedKeys: ['a'],
    })
    await idle.ping()
    expect((await idle.connections.find('T1', 'production'))?.token).toBe('of T1')
    const current = { url: original.url, keys: BOTH_KEYS }
    await withStore(current, async (store) => {
      await store.eraseWorkspace('T2', 'r')
      for (const { isKept } of await store.retiredDatabases.erase('T2', NOW)) expect(isKept).toBe(true)
    })
    await backUp(current, backupPath('last'))
    await backUpKeys(current, folder.path)
    expect(await listReadable(current)).toEqual(['T1', 'T3'])
    // Older backups don't restore the erased workspace either, whichever database they were made from.
    for (const name of ['first', 'original', 'copy', 'last'])
      expect(await restoreAndList(backupPath(name), BOTH_KEYS)).toEqual(['T1', 'T3'])
    const ring = parseKeys(BOTH_KEYS)
    const keys = await readWorkspaceKeys(
      backupPath('last'),
      await readBackupHeader(backupPath('last')),
      ring,
      undefined,
    )
    expect(await verifyBackup(backupPath('last'), ring, keys)).toMatchObject({ faults: [], unreadCount: 0 })
  },
)
