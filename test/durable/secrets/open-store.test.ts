import { once } from 'node:events'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { MODEL } from '../../../src/app/model.ts'
import { openStore } from '../../../src/app/store.ts'
import { EMPTY_DATABASES, KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { startStore } from '../../databases/store.ts'
import { saveConnection } from '../../write-store.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const ROW = { workspaceId: 'T1', environment: 'ote', token: 'token', userId: 'U1', now: NOW } as const

const catchError = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

it.each([
  { url: '', expectedError: 'has no scheme' },
  { url: './data/signalman.db', expectedError: 'has no scheme' },
  { url: 'mysql://u:canary-password@db.example/x', expectedError: 'has the scheme "mysql:"' },
  { url: 'sqlite:', expectedError: 'names no file' },
  { url: 'sqlite://data/signalman.db', expectedError: 'two slashes' },
  { url: 'sqlite:./a.db?mode=ro', expectedError: 'only a path' },
  { url: 'postgres://u:canary-password@db.example:port/x', expectedError: 'can’t be parsed' },
  { url: 'postgres://u:canary-password%zz@127.0.0.1:1/x', expectedError: 'can’t be parsed' },
])('the database URL is rejected: $url ($expectedError)', async ({ url, expectedError }) => {
  const error = await catchError(openStore({ url, keys: KEY_A }))
  expect(error).toMatchObject({ name: 'StoreError', kind: 'bad-url' })
  expect(String(error)).toContain(expectedError)
  expect(String(error)).toMatch(/sqlite:|postgres:/)
  expect(inspect(error, { depth: 9 })).not.toContain('canary-password')
})

it.each(EMPTY_DATABASES)(
  'finds the data stored before in $name, and uses the given clock',
  async ({ start }) => {
    await using database = await start()
    {
      await using store = await openStore({ ...database, now: () => NOW, clock: () => NOW })
      await saveConnection(store, ROW)
    }
    await using store = await openStore(database)
    expect((await store.connections.find('T1', 'ote'))?.token).toBe('token')
    await using raw = await openDatabase(database.url)
    const migrations = await raw.rows.selectFrom('migration').selectAll().orderBy('name').execute()
    expect(migrations.map(({ name }) => name)).toEqual(MODEL.migrations.map(({ name }) => name))
    expect(new Set(migrations.map((row) => row.applied_at))).toEqual(new Set([NOW.toISOString()]))
    expect(await raw.rows.selectFrom('key_check').select(['key_id', 'made_at']).execute()).toEqual([
      { key_id: 'a', made_at: NOW.toISOString() },
    ])
  },
)

describe.each(SHARED_DATABASES)('opening $name', ({ start }) => {
  it.each([
    ['another key', KEY_B, '"a", which isn’t among the encryption keys. Add it'],
    ['another key with the same ID', KEY_B.replace('b:', 'a:'), '"a" isn’t the one that stored data'],
  ])('fails with %s, and leaves the data unchanged', async (_fault, keys, expectedError) => {
    await using database = await start()
    {
      await using store = await openStore(database)
      await saveConnection(store, ROW)
    }
    const error = await catchError(openStore({ url: database.url, keys }))
    expect(error).toMatchObject({ name: 'StoreError', kind: 'wrong-key' })
    expect(String(error)).toContain(expectedError)
    expect(inspect(error)).not.toContain(keys.slice(2))
    await using store = await openStore(database)
    expect((await store.connections.find('T1', 'ote'))?.token).toBe('token')
  })

  it('fails if a newer version wrote the database', async () => {
    await using database = await start()
    {
      await using _store = await openStore(database)
      await using raw = await openDatabase(database.url)
      const row = { name: '999-from-the-future', applied_at: NOW.toISOString() }
      await raw.rows.insertInto('migration').values(row).execute()
    }
    const error = await catchError(openStore(database))
    expect(error).toMatchObject({ name: 'StoreError', kind: 'newer' })
    expect(String(error)).toContain('999-from-the-future')
  })

  it('doesn’t decrypt a value that was moved to another row', async () => {
    await using store = await startStore(start)
    await saveConnection(store, ROW)
    await using raw = await openDatabase(store.url)
    await raw.rows.updateTable('connection').set({ workspace_id: 'T2' }).execute()
    const error = await catchError(store.connections.find('T2', 'ote'))
    expect(error).toMatchObject({ name: 'SealError', kind: 'rejected' })
  })
})

it.each([
  ['is missing', (path: string) => rmSync(path), /a\.db\.key is missing\./],
  ['is empty', (path: string) => writeFileSync(path, ''), /a\.db\.key is empty: put its former content back/],
  ['is cut off', (path: string) => truncateSync(path, 20), /a\.db\.key can’t be used\. Entry 1 .*32 bytes/],
  [
    'can’t be read',
    (path: string) => {
      rmSync(path)
      mkdirSync(path)
    },
    /a\.db\.key is a folder: use the path of a file/,
  ],
])(
  'a SQLite file whose key file %s can’t be opened, and gets no new key',
  async (_fault, spoil, expectedError) => {
    using folder = makeFolder()
    const url = `sqlite:${join(folder.path, 'a.db')}`
    await (await openStore({ url }))[Symbol.asyncDispose]()
    spoil(join(folder.path, 'a.db.key'))
    for (let attempt = 0; attempt < 2; attempt++) {
      const error = await catchError(openStore({ url, keys: ' ' }))
      expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(expectedError) })
    }
  },
)

describe('a store on PostgreSQL', () => {
  it('requires encryption keys', async () => {
    await using database = await startPostgresDatabase()
    const error = await catchError(openStore({ url: database.url }))
    expect(error).toMatchObject({ name: 'StoreError', kind: 'missing-keys' })
  })

  it.each([
    [
      'a wrong password',
      (url: URL) => {
        url.password = 'canary-password'
      },
      'answers “password authentication failed',
    ],
    [
      'an unknown database',
      (url: URL) => {
        url.pathname = '/unknown'
      },
      'answers “database "unknown" does not exist”',
    ],
  ])('reports %s without showing the password', async (_fault, change, expectedError) => {
    await using database = await startPostgresDatabase()
    const url = new URL(database.url)
    change(url)
    const error = await catchError(openStore({ url: url.href, keys: KEY_A }))
    expect(error).toMatchObject({ name: 'StoreError', kind: 'unreachable' })
    expect(String(error)).toContain(`PostgreSQL at ${url.host} ${expectedError}`)
    expect(inspect(error, { depth: 9 })).not.toContain(url.password)
  })

  it('reports the host and port if PostgreSQL is down or closes the connection', async () => {
    const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const url = `postgres://u:canary-password@127.0.0.1:${port}/x`
    const closedError = await catchError(openStore({ url, keys: KEY_A }))
    server.close()
    await once(server, 'close')
    const downError = await catchError(openStore({ url, keys: KEY_A }))
    expect(String(closedError)).toContain(`PostgreSQL at 127.0.0.1:${port} closed the connection`)
    expect(String(downError)).toContain(`PostgreSQL at 127.0.0.1:${port} doesn’t answer`)
    expect(inspect([closedError, downError], { depth: 9 })).not.toContain('canary-password')
  })

  it('reports the host and port if PostgreSQL accepts connections but never responds', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const sockets: Socket[] = []
    server.on('connection', (socket) => sockets.push(socket))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const error = await catchError(openStore({ url: `postgres://u:p@127.0.0.1:${port}/x`, keys: KEY_A }))
    for (const socket of sockets) socket.destroy()
    server.close()
    expect(error).toMatchObject({ name: 'StoreError', kind: 'unreachable' })
    expect(String(error)).toContain(
      `PostgreSQL at 127.0.0.1:${port} can’t be used: “Connection terminated due`,
    )
  })
})
