import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { readBackupHeader, readWorkspaceKeys } from '../../../packages/durable/src/backup/restore.ts'
import { parseKeptUntil } from '../../../packages/durable/src/backup/retired-databases.ts'
import { lockForReplacing } from '../../../packages/durable/src/database/sqlite-files.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import {
  EMPTY_DATABASES,
  KEY_A,
  makeFolder,
  SHARED_DATABASES,
  type TestDatabase,
} from '../../databases/databases.ts'
import { backUp, backUpKeys, openDatabase, restoreBackup, verifyBackup } from '../../databases/open.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-03-01T12:00:00.000Z')

/** Appends audit rows. The tests recognize a database by its number of rows. */
async function appendRows(store: Store, workspaceId: string, count: number): Promise<void> {
  const entry = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await Promise.all(Array.from({ length: count }, () => store.audit.append({ ...entry, workspaceId })))
}

async function countRows(address: { url: string; keys: string }, workspaceId = 'T1'): Promise<number> {
  await using store = await openStore(address)
  const { faults } = await store.audit.verify(workspaceId)
  expect([faults, (await store.audit.verifyAll()).faults]).toEqual([[], []])
  const rows = await store.audit.search({ workspaceId, limit: 1000 })
  // The restore adds one row.
  return rows.filter(({ verb }) => verb !== 'store.restore').length
}

/** Creates a database with 20 audit rows of T1, and a backup of it. */
async function makeBackup(path: string, address: { url: string; keys: string }): Promise<void> {
  {
    await using store = await openStore(address)
    await appendRows(store, 'T1', 20)
    await store.grants.add('T9', 'admin', { kind: 'user', id: 'U9' }, 'U9', NOW)
  }
  await backUp(address, path)
}

const addressIn = (folder: string, name = 'a.db') => {
  const file = join(folder, name)
  return { file, url: `sqlite:${file}`, keys: KEY_A }
}

const listFiles = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => /\.db($|-|\.(restor|before))/.test(name))

describe('a restore into a SQLite file', () => {
  it('reports an audit log whose sealed head was already missing before the backup', async () => {
    using folder = makeFolder()
    const [address, path] = [addressIn(folder.path), join(folder.path, 'a.backup')]
    {
      await using store = await openStore(address)
      await appendRows(store, 'T1', 2)
    }
    {
      using raw = new DatabaseSync(address.file)
      raw.exec("delete from audit_chain where workspace_id = 'T1'")
    }
    await backUp(address, path)
    const ring = parseKeys(KEY_A)
    const keys = await readWorkspaceKeys(path, await readBackupHeader(path), ring, undefined)
    expect((await verifyBackup(path, ring, keys)).faults).toEqual([
      'T1: the sealed head of the chain was deleted',
    ])
    const { faults } = await restoreBackup({ ...addressIn(folder.path, 'b.db'), path })
    expect(faults).toContain('T1: the sealed head of the chain was deleted.')
  })

  it('moves a leftover write-ahead log aside instead of applying it to the new file', async () => {
    using folder = makeFolder()
    using other = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, addressIn(other.path))
    const { file, ...address } = addressIn(folder.path)
    {
      // Killed while writing, so that its write-ahead log remains.
      await using child = await startChild('acknowledge', { ...address, name: 'killed' })
      child.go()
      for (let n = 0; n < 40; n++) await child.line()
      await child.kill()
    }
    expect(existsSync(`${file}-wal`)).toBe(true)
    renameSync(file, join(folder.path, 'moved'))
    const { former } = await restoreBackup({ ...address, path })
    expect(former).toMatch(/a\.db\.before-restore-/)
    expect(existsSync(`${former}-wal`)).toBe(true)
    expect(await countRows(address)).toBe(20)
    using raw = new DatabaseSync(file)
    expect(raw.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })

  it('locks the database while it runs, even if the file doesn’t exist yet', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    const { file, ...address } = addressIn(folder.path)
    await makeBackup(path, addressIn(folder.path, 'b.db'))
    {
      using exclusive = lockForReplacing(file)
      await expect(restoreBackup({ ...address, path })).rejects.toThrow('in use')
      let isOpen = false
      const opening = openStore(address).finally(() => {
        isOpen = true
      })
      await new Promise(setImmediate)
      expect([isOpen, existsSync(file)]).toEqual([false, false])
      exclusive[Symbol.dispose]()
      await using _store = await opening
      await expect(restoreBackup({ ...address, path, isReplacing: true })).rejects.toThrow('in use')
    }
    await restoreBackup({ ...address, path, isReplacing: true })
    expect(await countRows(address)).toBe(20)
  })

  it('replaces a damaged file on request, and describes the damage', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    const { file, ...address } = addressIn(folder.path)
    await makeBackup(path, address)
    const original = readFileSync(file)
    const faults = {
      'half of it overwritten': Buffer.concat([
        original.subarray(0, 4096),
        Buffer.alloc(original.length - 4096, 7),
      ]),
      'plain text': Buffer.from('plain text '.repeat(999)),
    }
    for (const [fault, content] of Object.entries(faults)) {
      writeFileSync(file, content)
      await expect(restoreBackup({ ...address, path }), fault).rejects.toMatchObject({
        kind: 'not-empty',
        message: expect.stringContaining('is damaged ('),
      })
      expect(readFileSync(file).equals(content), fault).toBe(true)
      const { former = '', damage } = await restoreBackup({ ...address, path, isReplacing: true })
      expect(damage, fault).toBeTruthy()
      expect(readFileSync(former).equals(content), fault).toBe(true)
      expect(await countRows(address), fault).toBe(20)
    }
  })

  it('keeps every replaced database, even if two are replaced in the same second', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    const { file, ...address } = addressIn(folder.path)
    await makeBackup(path, address)
    const formerFiles = new Set<string | undefined>()
    for (let n = 0; n < 3; n++) {
      {
        await using store = await openStore(address)
        await appendRows(store, 'T1', n)
      }
      formerFiles.add((await restoreBackup({ ...address, path, isReplacing: true, now: () => NOW })).former)
    }
    const rows = await Promise.all(
      [...formerFiles].map((former) => countRows({ ...address, url: `sqlite:${former}` })),
    )
    expect(rows.sort()).toEqual([20, 21, 22])
    expect(listFiles(file).filter((name) => name.includes('restoring'))).toEqual([])
  })

  it('explains what is wrong with a forged backup, and leaves no files', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, addressIn(folder.path, 'b.db'))
    const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n')
    const header = JSON.parse(lines[0] ?? '')
    const headers = [
      { ...header, tables: null },
      { ...header, tables: [{ name: 1 }] },
      { ...header, keys: [null] },
      { ...header, migrations: 'all' },
      { ...header, lineage: 7 },
      { ...header, madeAt: 'yesterday' },
    ].map((forged) => [JSON.stringify(forged), ...lines.slice(1)])
    const doubled = lines.toSpliced(3, 0, lines[3] ?? '')
    for (const forged of [...headers, doubled, rehash(doubled)]) {
      const broken = join(folder.path, 'broken.backup')
      writeFileSync(broken, gzipSync(forged.join('\n')))
      const { file, ...address } = addressIn(folder.path)
      await expect(restoreBackup({ ...address, path: broken })).rejects.toMatchObject({
        name: 'StoreError',
        kind: 'unusable',
      })
      expect(listFiles(file).filter((name) => name.startsWith('a.db'))).toEqual([])
    }
  })
})

/** Returns the lines with a correct hash at the end, but still with the seal of the original hash. */
function rehash(lines: readonly string[]): string[] {
  const body = lines.slice(0, -2)
  const end = JSON.parse(lines.at(-2) ?? '')
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex')
  return [...body, JSON.stringify({ ...end, sha256 }), '']
}

describe.each(EMPTY_DATABASES)('a restore of $name', ({ name, start }) => {
  /** What a backup is made of need not be empty. */
  const startSource = SHARED_DATABASES.find((shared) => shared.name === name)?.start ?? start

  async function withStore(address: TestDatabase, work: (store: Store) => Promise<unknown>): Promise<void> {
    await using store = await openStore(address)
    await work(store)
  }

  it('never brings back data that was erased on any machine that shares the key file', async () => {
    using folder = makeFolder()
    await using production = await startSource()
    await using drill = await start()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, production)
    await restoreBackup({ ...drill, path })
    await withStore(drill, async (store) => {
      await appendRows(store, 'T4', 2)
      await store.eraseWorkspace('T1', 'r')
    })
    const copied = await backUp(drill, join(folder.path, 'drill.backup'))
    const nextPath = join(folder.path, 'b.backup')
    expect((await backUp(production, nextPath)).keysPath).toBe(copied.keysPath)
    await using third = await start()
    expect(await restoreBackup({ ...third, path: nextPath })).toMatchObject({ erased: ['T1'] })
    await using fourth = await start()
    await restoreBackup({ ...fourth, path: join(folder.path, 'drill.backup') })
    expect(await countRows(fourth, 'T4')).toBe(2)
    await using stranger = await startSource()
    await makeBackup(join(folder.path, 'stranger.backup'), stranger)
    await expect(backUpKeys(stranger, copied.keysPath)).rejects.toThrow('belongs to another database')
  })

  it('compares nothing with a database that the backup wasn’t made of', async () => {
    using folder = makeFolder()
    await using production = await startSource()
    await using other = await startSource()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, production)
    await withStore(other, (store) => appendRows(store, 'T1', 30))
    const isOther = /is not empty, and nothing was changed\. It isn’t the one that the backup was made of\./
    await expect(restoreBackup({ ...other, path })).rejects.toThrow(isOther)
    await withStore(production, (store) => appendRows(store, 'T1', 1))
    await expect(restoreBackup({ ...production, path })).rejects.not.toThrow(isOther)
    const replacing = { path, isReplacing: true }
    expect(await restoreBackup({ ...other, ...replacing })).toMatchObject({ isOther: true, newer: undefined })
    expect(await restoreBackup({ ...production, ...replacing })).toMatchObject({
      isOther: false,
      newer: { auditRows: new Map([['T1', 1]]) },
    })
    // Both are copies of the backup now.
    expect(await restoreBackup({ ...other, ...replacing })).toMatchObject({ isOther: false })
  })

  it('keeps the replaced database for 30 days, and also erases workspaces from it', async () => {
    using folder = makeFolder()
    await using address = await startSource()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, address)
    await withStore(address, (store) => appendRows(store, 'T2', 3))
    const { former = '' } = await restoreBackup({ ...address, path, isReplacing: true, now: () => NOW })
    expect(parseKeptUntil(former)).toEqual(new Date(NOW.getTime() + 30 * DAY_MS))
    await withStore(address, async (store) => {
      expect(await store.retiredDatabases.list()).toEqual([
        { name: former, keptUntil: parseKeptUntil(former) },
      ])
      // Only the replaced database has rows of T2.
      expect(await store.hasDataAbout('T2')).toBe(true)
      expect(await store.hasDataAbout('T3')).toBe(false)
      await store.eraseWorkspace('T1', 'r')
      expect(await store.retiredDatabases.erase('T1', NOW)).toEqual([{ name: former, isKept: true }])
    })
    await using retired = await openDatabase(name === 'PostgreSQL' ? address.url : `sqlite:${former}`)
    await retired.withExclusiveLock(async (rows) => {
      if (name === 'PostgreSQL') await sql`set local search_path to ${sql.id(former)}`.execute(rows)
      const remaining = rows.selectFrom('audit_entry').select('workspace_id').distinct()
      expect((await remaining.execute()).map((row) => row.workspace_id).toSorted()).toEqual(['T2', 'T9'])
      const keys = rows.selectFrom('workspace_key').select('sealed_key').where('workspace_id', '=', 'T1')
      expect(new Set((await keys.execute()).map((row) => row.sealed_key))).toEqual(new Set([null]))
      const roles = rows.selectFrom('role_grant').select('workspace_id')
      expect((await roles.execute()).map((row) => row.workspace_id)).toEqual(['T9'])
    })
    await retired[Symbol.asyncDispose]()
    await withStore(address, async (store) => {
      await store.retiredDatabases.sweep(new Date(NOW.getTime() + 30 * DAY_MS - 1))
      expect(await store.retiredDatabases.list()).toHaveLength(1)
      await store.retiredDatabases.sweep(new Date(NOW.getTime() + 30 * DAY_MS))
      expect(await store.retiredDatabases.list()).toEqual([])
    })
    // The role has an audit row.
    expect(await countRows(address, 'T9')).toBe(1)
  })

  it('replaces all tables of a newer version, so that the next upgrade starts over', async () => {
    using folder = makeFolder()
    await using address = await startSource()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, address)
    const upgrade = async () => {
      await using database = await openDatabase(address.url)
      await database.withExclusiveLock(async (rows) => {
        await sql`create table next_thing (id text primary key)`.execute(rows)
        await sql`alter table workspace_key add column next_note text`.execute(rows)
        await sql`insert into migration (name, applied_at) values ('999-next', '2026')`.execute(rows)
        if (name !== 'PostgreSQL') return
        await sql`create sequence next_numbers`.execute(rows)
        await sql`create type next_kind as enum ('a')`.execute(rows)
        await sql`create view next_view as select id from next_thing`.execute(rows)
        await sql`create function next_work(integer) returns integer language sql as 'select 1'`.execute(rows)
      })
    }
    for (let round = 0; round < 2; round++) {
      await upgrade()
      await expect(openStore(address)).rejects.toMatchObject({ kind: 'newer' })
      await restoreBackup({ ...address, path, isReplacing: true })
      expect(await countRows(address)).toBe(20)
    }
    await withStore(address, async (store) => expect(await store.retiredDatabases.list()).toHaveLength(2))
  })

  it('keeps the outcome journal of the replaced database until that database is deleted', async () => {
    using folder = makeFolder()
    await using address = await startSource()
    const journal = join(folder.path, 'journal')
    const path = join(folder.path, 'a.backup')
    await makeBackup(path, address)
    const { former = '' } = await restoreBackup({ ...address, path, isReplacing: true, now: () => NOW })
    const storePrefix = former.slice(-8)
    mkdirSync(join(journal, `${storePrefix}-0000`), { recursive: true })
    copyFileSync(path, join(journal, `${storePrefix}-0000`, '00000000-0000-4000-8000-000000000000.outcome'))
    await withStore({ ...address, journal } as TestDatabase, async (store) => {
      await store.outcomeJournal.reconcile()
      expect(readdirSync(join(journal, `${storePrefix}-0000`))).toEqual([
        '00000000-0000-4000-8000-000000000000.outcome',
      ])
      await store.retiredDatabases.sweep(new Date(NOW.getTime() + 31 * DAY_MS))
      expect(readdirSync(journal)).toEqual([])
    })
  })
})
