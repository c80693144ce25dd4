import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createApiFactory } from '../../../src/bot/request/context.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import type { Api, Service } from '../../../src/service/service.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { addGrant, removeGrant } from '../../give-role.ts'
import { eitherOf } from '../../long.ts'
import { removeConnection, saveConnection, setEnvironment } from '../../write-store.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const ROW = { workspaceId: 'T1', environment: 'ote', userId: 'U1', now: NOW } as const

const INSTALLATION = {
  id: 'T1',
  installedBy: 'U1',
} as const

/** Reads everything that the cache can hold, in the order of `expected` below. */
async function readCached({ cached }: Store): Promise<unknown[]> {
  return [
    await cached.channelEnvironment('T1', 'C1'),
    (await cached.connection('T1', 'ote'))?.token,
    (await cached.connections('T1')).length,
    (await cached.grants('T1')).map(({ subject, role }) => `${subject.id} ${role}`),
    (await cached.installation('T1'))?.botToken,
  ]
}

/** Writes, and what `readCached` returns after each. */
const CHANGES: readonly { write: (store: Store) => Promise<unknown>; expected: unknown[] }[] = [
  {
    write: (store) => setEnvironment(store, 'T1', 'C1', 'ote'),
    expected: ['ote', undefined, 0, [], undefined],
  },
  {
    write: (store) => saveConnection(store, { ...ROW, token: 'one' }),
    expected: ['ote', 'one', 1, [], undefined],
  },
  {
    write: (store) => saveConnection(store, { ...ROW, token: 'two' }),
    expected: ['ote', 'two', 1, [], undefined],
  },
  {
    write: (store) => addGrant(store, 'T1', 'admin', EVERYONE, 'U1', NOW),
    expected: ['ote', 'two', 1, ['* admin'], undefined],
  },
  {
    write: (store) => removeGrant(store, 'T1', 'admin', EVERYONE),
    expected: ['ote', 'two', 1, [], undefined],
  },
  {
    write: ({ installations }) => installations.save({ ...INSTALLATION, botToken: 'xoxb-1' }),
    expected: ['ote', 'two', 1, [], 'xoxb-1'],
  },
  {
    write: (store) => removeConnection(store, 'T1', 'ote'),
    expected: ['ote', undefined, 0, [], 'xoxb-1'],
  },
  { write: (store) => store.forgetWorkspace('T1'), expected: ['ote', undefined, 0, [], undefined] },
]

describe.each(eitherOf(SHARED_DATABASES))('the read cache on $name', ({ start }) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('immediately returns what this process wrote', async () => {
    await using store = await startStore(start)
    await readCached(store)
    for (const { write, expected } of CHANGES) {
      await write(store)
      expect(await readCached(store)).toEqual(expected)
      expect(await readCached(store)).toEqual(expected)
    }
  })

  it('returns what another process wrote after at most a second', async () => {
    await using database = await start()
    await using reader = await openStore(database)
    await using writer = await openStore(database)
    await readCached(reader)
    for (const { write, expected } of CHANGES) {
      const before = await readCached(reader)
      await write(writer)
      vi.advanceTimersByTime(999)
      expect(await readCached(reader)).toEqual(before)
      vi.advanceTimersByTime(1)
      expect(await readCached(reader)).toEqual(expected)
    }
  })

  it('isn’t used to read the token for an act', async () => {
    await using database = await start()
    await using reader = await openStore(database)
    await using writer = await openStore(database)
    const tokens: string[] = []
    const service = {
      with({ token }: { token: string }) {
        tokens.push(token)
        return {} as Api
      },
    }
    const createApi = createApiFactory({
      service: service as unknown as Service,
      ...reader,
      configured: {},
      hasOte: true,
    })
    await saveConnection(writer, { ...ROW, token: 'one' })
    await createApi('T1', 'ote', { usesCache: true })
    await saveConnection(writer, { ...ROW, token: 'two' })
    await createApi('T1', 'ote')
    await createApi('T1', 'ote', { usesCache: true })
    await createApi('T1', 'ote', { isPoll: true })
    vi.advanceTimersByTime(1000)
    await createApi('T1', 'ote', { isPoll: true })
    expect(tokens).toEqual(['one', 'two', 'one', 'one', 'two'])
    await removeConnection(writer, 'T1', 'ote')
    await expect(createApi('T1', 'ote')).rejects.toThrow('has no token')
  })
})
