import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { NodeSqliteDialect } from '../../../packages/durable/src/database/sqlite-dialect.ts'
import { explainFileError } from '../../../packages/durable/src/index.ts'
import { openStore } from '../../../src/app/store.ts'
import { explainError } from '../../../src/cli/explain-error.ts'
import { KEY_A, makeFolder, startSqliteFile } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { setEnvironment } from '../../write-store.ts'

const FULL = 2
const NORMAL = 1

async function readPragma(rows: Database['rows'], name: string): Promise<unknown> {
  const result = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(rows)
  return Object.values(result.rows[0] ?? {})[0]
}

describe('a SQLite file', () => {
  it('is in WAL mode, syncs every commit, and enforces foreign keys', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(`sqlite:${join(folder.path, 'a.db')}`)
    expect(await readPragma(database.rows, 'journal_mode')).toBe('wal')
    expect(await readPragma(database.rows, 'synchronous')).toBe(FULL)
    expect(await readPragma(database.rows, 'foreign_keys')).toBe(1)
    expect(await readPragma(database.rows, 'secure_delete')).toBe(1)
  })

  it('keeps its log short, also after a large transaction', async () => {
    await using sqlite = await startSqliteFile()
    await using database = await openDatabase(sqlite.url)
    await sql`create table t (body text)`.execute(database.rows)
    const walSize = () => statSync(`${sqlite.file}-wal`).size
    for (let i = 0; i < 500; i++)
      await sql`insert into t values (${'x'.repeat(20_000)})`.execute(database.rows)
    expect(statSync(sqlite.file).size).toBeGreaterThan(5_000_000)
    expect(walSize()).toBeLessThan(6 * 1024 * 1024)
    await database.rows.transaction().execute(async (transaction) => {
      for (let i = 0; i < 40; i++)
        await sql`insert into t values (${'x'.repeat(1_000_000)})`.execute(transaction)
    })
    expect(walSize()).toBeGreaterThan(40_000_000)
    await sql`insert into t values ('next')`.execute(database.rows)
    expect(walSize()).toBeLessThan(17 * 1024 * 1024)
  })

  it('accepts no write, in a transaction or alone, once it was moved or replaced', async () => {
    await using sqlite = await startSqliteFile()
    await using database = await openDatabase(sqlite.url)
    await sql`create table t (body text)`.execute(database.rows)
    const insert = (rows: Database['rows']) => sql`insert into t values ('a')`.execute(rows)
    const writes = [
      () => insert(database.rows),
      () => database.rows.transaction().execute(insert),
      () => database.withLock('T1', insert),
      () => database.relaxed(insert),
    ]
    const move = () => renameSync(sqlite.file, `${sqlite.file}.moved`)
    const moving = database.rows.transaction().execute(async (rows) => {
      move()
      await insert(rows)
    })
    await expect(moving).rejects.toThrow('was moved or deleted while the app runs')
    for (const write of writes)
      await expect(write()).rejects.toThrow('was moved or deleted while the app runs')
    writeFileSync(sqlite.file, '')
    for (const write of writes)
      await expect(write()).rejects.toThrow('was moved or deleted while the app runs')
    rmSync(sqlite.file)
    renameSync(`${sqlite.file}.moved`, sqlite.file)
    for (const write of writes) await write()
    expect((await sql`select count(*) as n from t`.execute(database.rows)).rows).toEqual([{ n: 4 }])
  })

  it('keeps what is written after it was moved during a transaction and put back', async () => {
    await using sqlite = await startSqliteFile()
    await using database = await openDatabase(sqlite.url)
    await sql`create table t (body text)`.execute(database.rows)
    const insert = (rows: Database['rows']) => sql`insert into t values ('a')`.execute(rows)
    const moving = database.withLock('T1', async (transaction) => {
      await insert(transaction)
      renameSync(sqlite.file, `${sqlite.file}.moved`)
    })
    await expect(moving).rejects.toThrow('was moved or deleted while the app runs')
    renameSync(`${sqlite.file}.moved`, sqlite.file)
    await database.withLock('T1', insert)
    await insert(database.rows)
    await using other = await openDatabase(sqlite.url)
    expect((await sql`select count(*) as n from t`.execute(other.rows)).rows).toEqual([{ n: 2 }])
  })

  it('uses relaxed syncing only during relaxed work, even if that work fails', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(`sqlite:${join(folder.path, 'a.db')}`)
    expect(await database.relaxed((rows) => readPragma(rows, 'synchronous'))).toBe(NORMAL)
    expect(await readPragma(database.rows, 'synchronous')).toBe(FULL)
    const failing = database.relaxed(() => Promise.reject(new Error('on purpose')))
    await expect(failing).rejects.toThrow('on purpose')
    expect(await readPragma(database.rows, 'synchronous')).toBe(FULL)
  })

  it('serializes read-then-write transactions across connections', async () => {
    await using sqlite = await startSqliteFile()
    await using first = await openDatabase(sqlite.url)
    await using second = await openDatabase(sqlite.url)
    await sql`create table counter (n integer)`.execute(first.rows)
    await sql`insert into counter values (0)`.execute(first.rows)
    const increments = Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? first : second).withExclusiveLock(async (transaction) => {
        const { rows } = await sql<{ n: number }>`select n from counter`.execute(transaction)
        await setImmediate()
        await sql`update counter set n = ${(rows[0]?.n ?? 0) + 1}`.execute(transaction)
      }),
    )
    await Promise.all(increments)
    expect((await sql`select n from counter`.execute(second.rows)).rows).toEqual([{ n: 40 }])
  })

  it('yields to other work between statements, inside and outside transactions', async () => {
    await using database = await openDatabase('sqlite::memory:')
    const counting = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select max(i) from n`
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 0)
    await database.rows.transaction().execute(async (transaction) => {
      for (let i = 0; i < 10; i++) await counting.execute(transaction)
    })
    const ticksWithin = ticks
    for (let i = 0; i < 10; i++) await counting.execute(database.rows)
    clearInterval(timer)
    expect(ticksWithin).toBeGreaterThan(0)
    expect(ticks).toBeGreaterThan(ticksWithin)
  })

  it('says that the disk is full if that happens in a transaction, which SQLite then ends itself', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(`sqlite:${join(folder.path, 'a.db')}`)
    await sql`create table t (body text)`.execute(database.rows)
    await sql`pragma max_page_count = 20`.execute(database.rows)
    const filling = database.withExclusiveLock(async (transaction) => {
      for (let i = 0; i < 40; i++) await sql`insert into t values (${'x'.repeat(4000)})`.execute(transaction)
    })
    await expect(filling).rejects.toThrow(/can’t grow, because the disk is full/)
    expect((await sql`select * from t`.execute(database.rows)).rows).toEqual([])
  })

  it('times out when waiting for a lock', async () => {
    await using sqlite = await startSqliteFile()
    await using holder = await openDatabase(sqlite.url)
    await using waiting = new Kysely<unknown>({
      dialect: new NodeSqliteDialect(new DatabaseSync(sqlite.file), { busyTimeoutMs: 20 }),
    })
    await holder.withExclusiveLock(async () => {
      const write = sql`create table t (n integer)`.execute(waiting)
      await expect(write).rejects.toThrow('database is locked')
    })
  })

  it.skipIf(process.platform === 'win32')(
    'is readable only by its owner, like the files next to it',
    async () => {
      using folder = makeFolder()
      const file = join(folder.path, 'a.db')
      await using store = await openStore({ url: `sqlite:${file}` })
      await setEnvironment(store, 'T1', 'C1', 'ote')
      const modes = ['', '-wal', '-shm', '.key'].map((end) => statSync(`${file}${end}`).mode & 0o777)
      expect(modes).toEqual([0o600, 0o600, 0o600, 0o600])
    },
  )

  it.each([
    ['sqlite:typo/a.db', 'is in a folder that doesn’t exist'],
    ['sqlite:~/a.db', 'only a shell replaces'],
    [`sqlite:./${'${'}DATA}/a.db`, 'only a shell replaces'],
  ])('makes no folder for %s', async (url, message) => {
    using folder = makeFolder()
    const inFolder = url.replace('typo', join(folder.path, 'typo'))
    await expect(openStore({ url: inFolder })).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(message),
    })
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('isn’t made anew beside the keys of a database that is gone, unless its first start was killed', async () => {
    using folder = makeFolder()
    const file = join(folder.path, 'a.db')
    await (await openStore({ url: `sqlite:${file}` }))[Symbol.asyncDispose]()
    rmSync(file)
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(openStore({ url: `sqlite:${file}` })).rejects.toThrow(
        `The key file ${file}.key is here, but the database ${file} isn’t`,
      )
    expect(readdirSync(folder.path)).toEqual(['a.db.key'])
    // A first start makes the file, then the keys, then the tables.
    writeFileSync(file, '')
    await (await openStore({ url: `sqlite:${file}` }))[Symbol.asyncDispose]()
  })

  it.skipIf(process.platform === 'win32')(
    'makes a process not ready if it is moved or replaced while that runs',
    async () => {
      await using sqlite = await startSqliteFile()
      await using store = await openStore({ url: sqlite.url, keys: KEY_A })
      await store.processes.heartbeat('p1')
      renameSync(sqlite.file, `${sqlite.file}.moved`)
      for (const prepare of [() => undefined, () => writeFileSync(sqlite.file, '')]) {
        prepare()
        await expect(store.processes.heartbeat('p1')).rejects.toThrow(
          `The database ${sqlite.file} was moved or deleted while the app runs`,
        )
      }
      rmSync(sqlite.file)
      renameSync(`${sqlite.file}.moved`, sqlite.file)
      await store.processes.heartbeat('p1')
    },
  )

  it.skipIf(process.platform === 'win32')('is made private if others can read it', async () => {
    await using sqlite = await startSqliteFile()
    writeFileSync(sqlite.file, '')
    chmodSync(sqlite.file, 0o644)
    await using _store = await openStore({ url: sqlite.url })
    expect(statSync(sqlite.file).mode & 0o777).toBe(0o600)
  })

  it('can be closed twice, and leaves only its key file next to it', async () => {
    await using sqlite = await startSqliteFile()
    const store = await openStore({ url: sqlite.url })
    await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()])
    await store[Symbol.asyncDispose]()
    expect(['', '-wal', '-shm', '.key'].map((end) => existsSync(`${sqlite.file}${end}`))).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it.each([
    { fault: 'a folder', prepare: (path: string) => mkdirSync(path), expectedError: 'is a folder' },
    {
      fault: 'not a database',
      prepare: (path: string) =>
        writeFileSync(path, 'plain text that is longer than the header of a database. '.repeat(99)),
      expectedError: 'isn’t a SQLite database',
    },
  ])('is named in an error that suggests a fix if it is $fault', async ({ prepare, expectedError }) => {
    await using sqlite = await startSqliteFile()
    prepare(sqlite.file)
    const error = await openStore({ url: sqlite.url }).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'StoreError' })
    expect(String(error)).toContain(`${sqlite.file} ${expectedError}`)
  })

  it.skipIf(process.getuid?.() === 0)(
    'is named in the error if its folder isn’t writable (not as root)',
    async () => {
      using folder = makeFolder()
      const locked = join(folder.path, 'locked')
      mkdirSync(locked, { mode: 0o500 })
      const opening = openStore({ url: `sqlite:${join(locked, 'a.db')}` })
      await expect(opening).rejects.toThrow(
        /a\.db can’t be opened: give the user that runs this process access to it and to its folder/,
      )
    },
  )

  it('is named together with the file beside it that SQLite can’t open, and the reason', async () => {
    await using sqlite = await startSqliteFile()
    mkdirSync(`${sqlite.file}-wal`)
    await expect(openStore({ url: sqlite.url })).rejects.toThrow(
      `The database ${sqlite.file} can’t be used, because ${sqlite.file}-wal is a folder: use the path of a file.`,
    )
  })

  it.each([8, 14])('is left as it is while the reason for the code %i is looked for', async (errcode) => {
    using folder = makeFolder()
    const file = join(folder.path, 'a.db')
    writeFileSync(file, 'content')
    const thrown = Object.assign(new Error('from SQLite'), { code: 'ERR_SQLITE_ERROR', errcode })
    expect(String(explainFileError(thrown, file))).toMatch(
      /a\.db can’t be \w+: check the rights of its files/,
    )
    expect(readdirSync(folder.path)).toEqual(['a.db'])
    expect(readFileSync(file, 'utf8')).toBe('content')
  })
})

/** Result codes of SQLite (https://sqlite.org/rescode.html) and PostgreSQL, and what an operator reads. */
it.each([
  [3, /can’t be locked: is it on a network disk\?/],
  [5386, /can’t be locked: is it on a network disk\?/],
  [778, /can’t be read or written \(disk I\/O error\): check the disk/],
  [4874, /can’t grow, because the disk is full/],
  [1, undefined],
  ['23505', undefined],
])('explains the result code %s in every command, without a stack', (code, expected) => {
  const error = Object.assign(
    new Error('from the database'),
    typeof code === 'number' ? { code: 'ERR_SQLITE_ERROR', errcode: code } : { severity: 'ERROR', code },
  )
  const { text, exitCode } = explainError(error)
  expect(exitCode).toBe(1)
  if (expected === undefined) expect(text).toMatch(/\n +at /)
  else expect(text).toMatch(new RegExp(`^The database ${expected.source}[^\n]*$`))
})
