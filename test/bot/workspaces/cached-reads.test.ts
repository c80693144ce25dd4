import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { startChild } from '../../databases/children.ts'
import { KEY_A, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { administer, startPostgresDatabase } from '../../databases/postgres.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const ROW = { workspaceId: 'T1', environment: 'ote', userId: 'U1', now: NOW } as const

const INSTALLATION = {
  id: 'T1',
  kind: 'workspace',
  name: 'Example',
  botUserId: 'UBOT',
  scopes: [],
  installedBy: 'U1',
  now: NOW,
} as const

/** All that is kept, in a form that is compared. */
async function keptBy({ cached }: Store): Promise<unknown[]> {
  return [
    await cached.environmentOf('T1', 'C1'),
    (await cached.connection('T1', 'ote'))?.token,
    (await cached.connections('T1')).length,
    (await cached.grants('T1')).map(({ subject, role }) => `${subject.id} ${role}`),
    (await cached.installation({ workspaceId: 'T1' }))?.botToken,
    await cached.organizationOf('T1'),
  ]
}

/** Writes, and what is kept after each. */
const CHANGES: readonly { write: (store: Store) => Promise<unknown>; holds: unknown[] }[] = [
  {
    write: ({ channels }) => channels.setEnvironment('T1', 'C1', 'ote'),
    holds: ['ote', undefined, 0, [], undefined, undefined],
  },
  {
    write: ({ connections }) => connections.save({ ...ROW, token: 'one' }),
    holds: ['ote', 'one', 1, [], undefined, undefined],
  },
  {
    write: ({ connections }) => connections.save({ ...ROW, token: 'two' }),
    holds: ['ote', 'two', 1, [], undefined, undefined],
  },
  {
    write: ({ grants }) => grants.add('T1', 'admin', EVERYONE, 'U1', NOW),
    holds: ['ote', 'two', 1, ['* admin'], undefined, undefined],
  },
  {
    write: ({ grants }) => grants.remove('T1', 'admin', EVERYONE),
    holds: ['ote', 'two', 1, [], undefined, undefined],
  },
  {
    write: ({ installations }) => installations.save({ ...INSTALLATION, botToken: 'xoxb-1' }),
    holds: ['ote', 'two', 1, [], 'xoxb-1', undefined],
  },
  {
    write: ({ organizations }) => organizations.join('T1', 'E1'),
    holds: ['ote', 'two', 1, [], 'xoxb-1', 'E1'],
  },
  {
    write: ({ connections }) => connections.forget('T1', 'ote'),
    holds: ['ote', undefined, 0, [], 'xoxb-1', 'E1'],
  },
  { write: (store) => store.forgetWorkspace('T1'), holds: ['ote', undefined, 0, [], undefined, 'E1'] },
]

describe.each(SHARED_DATABASES)('what is kept in memory over $name', ({ name, start }) => {
  it('is what this process itself has last written, always', async () => {
    await using database = await start()
    await using store = await openStore(database)
    await keptBy(store)
    for (const { write, holds } of CHANGES) {
      await write(store)
      expect(await keptBy(store)).toEqual(holds)
      expect(await keptBy(store)).toEqual(holds)
    }
  })

  it('is what another one has written: at the next look on SQLite, once PostgreSQL has told', async () => {
    await using database = await start()
    await using reader = await openStore(database)
    await using writer = await openStore(database)
    await keptBy(reader)
    for (const { write, holds } of CHANGES) {
      await write(writer)
      if (name === 'PostgreSQL') await expect.poll(() => keptBy(reader)).toEqual(holds)
      else expect(await keptBy(reader)).toEqual(holds)
    }
  })

  it('is what another process has written', async () => {
    await using database = await start()
    await using reader = await openStore(database)
    for (const environment of ['ote', 'production', 'ote']) {
      await using child = await startChild('environment', { ...database, name: environment })
      await keptBy(reader)
      child.go()
      await child.finish()
      const look = () => reader.cached.environmentOf('T1', 'C1')
      if (name === 'PostgreSQL') await expect.poll(look).toBe(environment)
      else expect(await look()).toBe(environment)
    }
  })
})

/** Stands between the store and the server, and can let the connection that listens fall silent without a word. */
async function startMutable(target: URL) {
  const sockets = new Set<Socket>()
  const listening = new Set<Socket>()
  const server = createServer((inward) => {
    const outward = connect(Number(target.port), target.hostname)
    inward.on('data', (chunk) => chunk.includes('listen rows_changed') && listening.add(outward))
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    mute: () => {
      for (const socket of listening) socket.unpipe()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe('the connection that hears what PostgreSQL tells', () => {
  const soon = { interval: 20 }

  /** Nothing is proved while a machine is too busy to answer at once. */
  async function markOf({ changes }: Database): Promise<number> {
    let version: number | undefined
    await expect.poll(async () => (version = await changes.version()), soon).toBeDefined()
    return version ?? 0
  }

  it('names whose it is that was changed, and drops everything once it was lost', async () => {
    await using database = await startPostgresDatabase('migrated')
    await using store = await openStore({ url: database.url, keys: KEY_A })
    await using raw = await openDatabase(database.url)
    const named: string[] = []
    raw.changes.hear((ownerId) => named.push(ownerId))
    expect(await raw.changes.version()).toBeUndefined()
    const before = await markOf(raw)
    await store.channels.setEnvironment('T1', 'C1', 'ote')
    await store.installations.save({ ...INSTALLATION, id: 'E1', kind: 'organization', botToken: 'xoxb-1' })
    await expect.poll(() => new Set(named), soon).toEqual(new Set(['T1', 'E1']))
    expect(await markOf(raw)).toBe(before)
    await administer(database.url, 'truncate setting')
    await expect.poll(() => markOf(raw), soon).toBeGreaterThan(before)
    const since = await markOf(raw)
    await administer(
      database.url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await expect.poll(() => markOf(raw), soon).toBeGreaterThan(since)
  })

  it('is not gone by when it says nothing any more: what was kept is asked for', async () => {
    await using database = await startPostgresDatabase('migrated')
    await using writer = await openStore({ url: database.url, keys: KEY_A })
    await using proxy = await startMutable(new URL(database.url))
    await using reader = await openStore({ url: proxy.url, keys: KEY_A })
    await using raw = await openDatabase(proxy.url)
    await keptBy(reader)
    const before = await markOf(raw)
    proxy.mute()
    await writer.channels.setEnvironment('T1', 'C1', 'ote')
    await expect.poll(() => reader.cached.environmentOf('T1', 'C1'), soon).toBe('ote')
    // A new connection takes its place, and nothing of before counts.
    await expect.poll(() => markOf(raw), soon).toBeGreaterThan(before)
  })
})
