import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBackupKeyFinder } from '../../../packages/durable/src/backup/row-owners.ts'
import type { KeyPurpose } from '../../../packages/durable/src/database/schema.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import {
  EMPTY_DATABASES,
  makeFolder,
  SHARED_DATABASES,
  type TestDatabase,
  workspaceKeysIn,
} from '../../databases/databases.ts'
import { backUp, openDatabase, restoreBackup } from '../../databases/open.ts'

const NOW = new Date()

const addGrant = (store: Store, workspaceId: string): Promise<unknown> =>
  store.grants.add(workspaceId, 'admin', { kind: 'user', id: 'U1' }, 'U1', NOW)

/** Makes a change while the snapshot of a backup is open. Returns the key, as stored, that the backup then uses for the workspace. */
async function findBackupKeyAfter(
  address: TestDatabase,
  workspaceId: string,
  change: () => Promise<unknown>,
  purpose: KeyPurpose = 'rows',
) {
  await using database = await openDatabase(address.url)
  const { rows } = database
  const root = createSealer(parseKeys(address.keys))
  const workspaceKeys = workspaceKeysIn(database, address.keys)
  const key = await database.snapshot(async (snapshot) => {
    const findKey = await createBackupKeyFinder(snapshot, { rows, root, workspaceKeys })
    await change()
    return await findKey(workspaceId, purpose)
  })
  const workspaceKeyRows = rows.selectFrom('workspace_key').where('workspace_id', '=', workspaceId)
  return await workspaceKeyRows.selectAll().where('id', '=', key.id).executeTakeFirst()
}

describe.each(SHARED_DATABASES)('the row keys in a backup of $name', ({ name, start }) => {
  const startEmpty = EMPTY_DATABASES.find((empty) => empty.name === name)?.start ?? start

  it.each([true, false])(
    'are destroyed if the workspace is erased during the backup (after an earlier backup: %s)',
    async (hadKey) => {
      using folder = makeFolder()
      await using address = await start()
      await using store = await openStore(address)
      await addGrant(store, 'T9')
      if (hadKey) await backUp(address, join(folder.path, 'a.backup'))
      const erase = () => store.eraseWorkspace('T9', 'r')
      expect(await findBackupKeyAfter(address, 'T9', erase)).toMatchObject({
        purpose: 'rows',
        sealed_key: null,
      })
      // If the app is installed again, the workspace gets a new key.
      await addGrant(store, 'T9')
      expect(await findBackupKeyAfter(address, 'T9', async () => undefined)).toMatchObject({
        retired_at: null,
      })
    },
  )

  it.each([true, false])(
    'are destroyed if the workspace uninstalls the app during the backup, but only those for content (after an earlier backup: %s)',
    async (hadKey) => {
      using folder = makeFolder()
      await using address = await start()
      await using store = await openStore(address)
      await addGrant(store, 'T9')
      if (hadKey) await backUp(address, join(folder.path, 'a.backup'))
      const forget = () => store.forgetWorkspace('T9')
      expect(await findBackupKeyAfter(address, 'T9', forget, 'content')).toMatchObject({ sealed_key: null })
      const after = await findBackupKeyAfter(address, 'T9', async () => undefined, 'content')
      expect(after).toMatchObject({ purpose: 'content', retired_at: null })
      expect(await findBackupKeyAfter(address, 'T9', forget, 'rows')).toMatchObject({ retired_at: null })
    },
  )

  it('can still decrypt rows if they are replaced during the backup', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await addGrant(store, 'T1')
    await using database = await openDatabase(address.url)
    const keys = workspaceKeysIn(database, address.keys)
    const { id } = await keys.ensureKey('T1', 'rows')
    const retire = () => keys.retire(database.rows, 'T1', 'rows')
    expect(await findBackupKeyAfter(address, 'T1', retire)).toMatchObject({
      id,
      sealed_key: expect.any(String),
    })
  })

  it('can’t decrypt rows of a workspace that is erased while the backup is written', async () => {
    using folder = makeFolder()
    await using address = await start()
    const path = join(folder.path, 'a.backup')
    {
      await using store = await openStore(address)
      const entry = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
      const entries = Array.from({ length: 1100 }, () => store.audit.append({ ...entry, workspaceId: 'T1' }))
      await Promise.all(entries)
      await addGrant(store, 'T9')
      let erased: Promise<unknown> | undefined
      // The clock is read once before the snapshot, and then for the first key created in it.
      let clockReads = 0
      const now = () => {
        if (++clockReads === 2) erased = store.eraseWorkspace('T9', 'r')
        return NOW
      }
      await backUp({ ...address, now }, path)
      await erased
      expect(clockReads).toBeGreaterThan(1)
      await backUp(address, join(folder.path, 'b.backup'))
    }
    await using other = await startEmpty()
    expect(await restoreBackup({ ...other, path })).toMatchObject({ erased: ['T9'] })
    await using store = await openStore(other)
    expect(await store.grants.list('T9')).toEqual([])
    expect(await store.audit.verify('T1')).toMatchObject({ rows: 1101, faults: [] })
  })
})
