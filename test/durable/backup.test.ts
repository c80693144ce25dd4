import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  backUp,
  type Durable,
  markRestored,
  RESTORED,
  restoreBackup as restoreBackupWith,
  WHOLE_STORE,
} from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'
import { addOrder } from '../features/cert-orders/store-orders.ts'
import { saveConnection } from '../write-store.ts'

const restoreBackup = (path: string, file: string, keys?: string) =>
  restoreBackupWith(path, file, { model: MODEL, keys: keys ?? KEY_A })

const ACT = { workspaceId: 'T1', kind: 'act', personId: 'U1', body: { line: '/hc delete 1' } }

/** `openStore` also returns the database, which features don't see. */
async function fill(store: Store): Promise<void> {
  const { settings, work, database } = store as Store & Pick<Durable, 'database'>
  await settings.set('T1', { key: 'days', read: Number }, 7)
  await work.add({ ...ACT, key: 'unfinished' }, 'waiting')
  await work.begin({ ...ACT, key: 'running' }, 'a process')
  await work.schedule({ workspaceId: 'T1', kind: 'reminder', key: 'r' })
  await work.claimDue('a process', ['reminder'], 1)
  const order = await addOrder(
    store,
    {
      ...{
        workspaceId: 'T1',
        environment: 'production',
        state: 'awaiting',
        requesterId: 'U1',
        bodyHash: 'h',
        keyHash: 'k',
      },
      ...{ content: { request: {} }, createdAt: new Date() },
    },
    { kind: 'request', at: new Date(), userId: 'U1', reference: 'r1' },
  )
  await database.rows.updateTable('cert_order').set({ state: 'submitting' }).execute()
  await work.schedule({ workspaceId: 'T1', kind: 'order.submit', key: order.id })
  const now = new Date()
  await saveConnection(store, { workspaceId: 'T1', environment: 'ote', token: 'secret', userId: 'U1', now })
}

async function expectRestored({ settings, work, connections, steps }: Store): Promise<void> {
  expect(await settings.get('T1', { key: 'days', read: Number })).toBe(7)
  expect((await connections.find('T1', 'ote'))?.token).toBe('secret')
  // The acts may have finished since the backup, and a reminder is only late.
  const open = await work.listOpen('T1', ['act', 'reminder', 'order.submit'])
  expect(open.map(({ kind, state, owner }) => [kind, state, owner]).toSorted()).toEqual([
    ['order.submit', 'waiting', undefined],
    ['reminder', 'waiting', undefined],
  ])
  // The order may have been sent since, so it counts as begun, and is never sent again by itself.
  const submission = open.find(({ kind }) => kind === 'order.submit')
  expect(await steps.list(submission?.id ?? '')).toMatchObject([{ line: 1, state: 'begun' }])
  expect(await settings.get(WHOLE_STORE, RESTORED)).toMatchObject({ restoredAt: expect.any(String) })
}

it('restores a backup that was made while the app ran, but never over a database', async () => {
  using folder = makeFolder()
  const [file, copy] = [join(folder.path, 'a.db'), join(folder.path, 'b.db')]
  const backup = join(folder.path, 'c.backup')
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

describe('a restore from a file', () => {
  /** A backup with what `fill` writes, and the database that it was made of, which is closed. */
  async function startBackup() {
    const folder = makeFolder()
    const [file, backup] = [join(folder.path, 'a.db'), join(folder.path, 'a.backup')]
    await using store = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await fill(store)
    await backUp(file, backup)
    return { ...folder, folder: folder.path, file, backup, list: () => readdirSync(folder.path).toSorted() }
  }

  it('is noticed, once, if it was only copied into place', async () => {
    using started = await startBackup()
    const { folder, file, backup } = started
    const copy = join(folder, 'b.db')
    copyFileSync(backup, copy)
    {
      await using restored = await openStore({ url: `sqlite:${copy}`, keys: KEY_A })
      await expectRestored(restored)
      await restored.work.add({ ...ACT, key: 'later' }, 'waiting')
    }
    await using again = await openStore({ url: `sqlite:${copy}`, keys: KEY_A })
    expect(await again.work.listOpen('T1', ['act'])).toMatchObject([{ key: 'later' }])
    await using original = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    expect(await original.work.listOpen('T1', ['act'])).toHaveLength(2)
  })

  it.each(['-wal', '-shm', '-journal'])(
    'is refused while the former database’s %s is still there, and changes nothing',
    async (end) => {
      using started = await startBackup()
      const { folder, backup, list } = started
      const file = join(folder, 'b.db')
      writeFileSync(`${file}${end}`, 'x'.repeat(100))
      const before = list()
      await expect(restoreBackup(backup, file)).rejects.toThrow(`b.db${end} belongs to the database`)
      await expect(backUp(started.file, file)).rejects.toThrow(`b.db${end} belongs to the database`)
      expect(list()).toEqual(before)
    },
  )

  it('is refused for a file whose latest changes are in another file', async () => {
    using started = await startBackup()
    const { folder, file } = started
    await using _inUse = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await expect(restoreBackup(file, join(folder, 'b.db'))).rejects.toThrow(
      'isn’t a backup but a database in use',
    )
    expect(existsSync(join(folder, 'b.db'))).toBe(false)
  })

  it('names the file that’s missing or can’t be written', async () => {
    using started = await startBackup()
    const { folder, file, backup } = started
    await expect(restoreBackup(join(folder, 'none'), join(folder, 'b.db'))).rejects.toThrow('There’s no file')
    await expect(backUp(file, join(folder, 'none', 'a'))).rejects.toThrow(
      /none.a is in a folder that doesn’t exist/,
    )
    await expect(restoreBackup(backup, join(folder, 'new', 'b.db'))).rejects.toThrow(
      /is in a folder that doesn’t exist/,
    )
    expect(existsSync(join(folder, 'new'))).toBe(false)
  })

  it('is refused for a damaged file', async () => {
    using started = await startBackup()
    const { folder, backup } = started
    const bytes = readFileSync(backup)
    writeFileSync(backup, bytes.fill(0, 20 * 4096, 21 * 4096))
    await expect(restoreBackup(backup, join(folder, 'b.db'))).rejects.toThrow('is damaged. Use another one.')
    expect(existsSync(join(folder, 'b.db'))).toBe(false)
  })

  it('is refused for a file of another program', async () => {
    using started = await startBackup()
    const { folder } = started
    writeFileSync(join(folder, 'other'), '')
    await expect(restoreBackup(join(folder, 'other'), join(folder, 'b.db'))).rejects.toThrow('isn’t a backup')
    expect(existsSync(join(folder, 'b.db'))).toBe(false)
  })

  it.each([
    { problem: 'another key', keys: KEY_B, error: 'isn’t among the encryption keys' },
    { problem: 'no key', keys: ' ', error: /the key file .*b\.db\.key is missing/ },
  ])(
    'leaves nothing behind with $problem, so that a second try with the right one works',
    async ({ keys, error }) => {
      using started = await startBackup()
      const { folder, backup } = started
      const file = join(folder, 'b.db')
      const before = readdirSync(folder)
      await expect(restoreBackup(backup, file, keys)).rejects.toThrow(error)
      expect(readdirSync(folder)).toEqual(before)
      await restoreBackup(backup, file)
      await using restored = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
      await expectRestored(restored)
    },
  )

  it('forgets progress also if the file was copied from a stopped app instead of backed up', async () => {
    using started = await startBackup()
    const { folder, file } = started
    await restoreBackup(file, join(folder, 'b.db'))
    await using restored = await openStore({ url: `sqlite:${join(folder, 'b.db')}`, keys: KEY_A })
    await expectRestored(restored)
  })

  it('takes nothing from the files of a restore or a backup that was killed', async () => {
    using started = await startBackup()
    const { folder, file, backup } = started
    await using _inUse = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await _inUse.settings.set('T1', { key: 'days', read: Number }, 8)
    // What a process that is killed while it checks or marks its draft leaves beside it.
    for (const draft of ['b.db.restoring', 'b.backup.unfinished'])
      for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, join(folder, `${draft}${end}`))
    await restoreBackup(backup, join(folder, 'b.db'))
    await using restored = await openStore({ url: `sqlite:${join(folder, 'b.db')}`, keys: KEY_A })
    await expectRestored(restored)
    await backUp(file, join(folder, 'b.backup'))
    expect(started.list().filter((name) => /restoring|unfinished/.test(name))).toEqual([])
  })

  it('that was only copied to where another database’s log still is, is refused by every opening', async () => {
    using started = await startBackup()
    const { folder, file, backup } = started
    await using inUse = await openStore({ url: `sqlite:${file}`, keys: KEY_A })
    await inUse.settings.set('T1', { key: 'days', read: Number }, 8)
    const copy = join(folder, 'b.db')
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    copyFileSync(backup, copy)
    await expect(openStore({ url: `sqlite:${copy}`, keys: KEY_A })).rejects.toThrow(
      'b.db-wal belongs to another database',
    )
  })
})

it.each(SHARED_DATABASES)(
  'forgets progress in a database once for each mark, on $name',
  async ({ start }) => {
    await using database = await start()
    {
      await using store = await openStore(database)
      await fill(store)
      await store.processes.heartbeat('p1')
    }
    {
      await using opened = await openDatabase(database.url)
      await expect(markRestored(opened)).rejects.toThrow('still running')
      await opened.rows.deleteFrom('process').execute()
      await markRestored(opened)
    }
    {
      await using restored = await openStore(database)
      await expectRestored(restored)
      await restored.work.add({ ...ACT, key: 'later' }, 'waiting')
    }
    {
      await using again = await openStore(database)
      expect(await again.work.listOpen('T1', ['act'])).toMatchObject([{ key: 'later' }])
    }
    {
      // Restored once more before anybody has looked after the order.
      await using opened = await openDatabase(database.url)
      await opened.rows.deleteFrom('process').execute()
      await markRestored(opened)
    }
    await using restored = await openStore(database)
    await expectRestored(restored)
  },
)

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
