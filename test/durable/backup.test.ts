import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { backUp, RESTORED, restoreBackup, WHOLE_STORE } from '../../packages/durable/src/index.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'

const ACT = { workspaceId: 'T1', kind: 'act', personId: 'U1', body: { line: '/hc delete 1' } }

async function fill({ settings, work, connections }: Store): Promise<void> {
  await settings.set('T1', { key: 'days', read: Number }, 7)
  await work.add({ ...ACT, key: 'unfinished' }, 'waiting')
  await work.schedule({ workspaceId: 'T1', kind: 'reminder', key: 'r' })
  const now = new Date()
  await connections.save({ workspaceId: 'T1', environment: 'ote', token: 'secret', userId: 'U1', now })
}

async function expectRestored({ settings, work, connections }: Store): Promise<void> {
  expect(await settings.get('T1', { key: 'days', read: Number })).toBe(7)
  expect((await connections.find('T1', 'ote'))?.token).toBe('secret')
  // The act may have finished since the backup, and a reminder is only late.
  expect(await work.listOpen('T1', ['act', 'reminder'])).toMatchObject([
    { kind: 'reminder', state: 'waiting' },
  ])
  expect(await settings.get(WHOLE_STORE, RESTORED)).toMatchObject({ restoredAt: expect.any(String) })
}

it('restores a backup that was made while the app ran, but never over a database', async () => {
  using folder = makeFolder()
  const [file, copy, backup] = ['a.db', 'b.db', 'c.backup'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  await using store = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
  await fill(store)
  expect(await backUp(file, backup)).toBeGreaterThan(10_000)
  await store.settings.set('T1', { key: 'days', read: Number }, 8)
  await expect(backUp(file, backup)).rejects.toThrow('already exists')
  await expect(restoreBackup(backup, file)).rejects.toThrow('already exists')
  await restoreBackup(backup, copy)
  expect(existsSync(`${copy}.restoring`)).toBe(false)
  await using restored = await openStore({ url: `sqlite:${copy}`, keys: KEY_A })
  await expectRestored(restored)
})

it('notices a backup that was only copied into place, once', async () => {
  using folder = makeFolder()
  const [file, copy, backup] = ['a.db', 'b.db', 'c.backup'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  {
    await using store = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await fill(store)
    await backUp(file, backup)
  }
  copyFileSync(backup, copy)
  {
    await using restored = await openStore({ url: `sqlite:${copy}`, keys: KEY_A })
    await expectRestored(restored)
    await restored.work.add({ ...ACT, key: 'later' }, 'waiting')
  }
  await using again = await openStore({ url: `sqlite:${copy}`, keys: KEY_A })
  expect(await again.work.listOpen('T1', ['act'])).toMatchObject([{ key: 'later' }])
  await using original = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
  expect(await original.work.listOpen('T1', ['act'])).toMatchObject([{ key: 'unfinished' }])
})

it('notices that a PostgreSQL database was restored from a dump', async () => {
  await using address = await startPostgresDatabase()
  {
    await using store = await openStore({ url: address.url, keys: KEY_A })
    await fill(store)
    expect(await store.settings.get(WHOLE_STORE, RESTORED)).toBeUndefined()
  }
  {
    // As in a database that pg_restore has filled, which has another ID.
    await using database = await openDatabase(address.url)
    await sql`update setting set value = '"1/1"' where key = 'store.identity'`.execute(database.rows)
  }
  await using store = await openStore({ url: address.url, keys: KEY_A })
  await expectRestored(store)
})
