import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/store/database/database.ts'
import { createReadCache } from '../../../src/store/database/read-cache.ts'
import type { WorkspaceKeys } from '../../../src/store/secrets/workspace-keys.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { threatMemory } from '../../../src/store/threats/memory.ts'
import { connectionStore } from '../../../src/store/workspaces/connections.ts'
import { installationStore } from '../../../src/store/workspaces/installations.ts'
import { SHARED_DATABASES, type TestDatabase, workspaceKeysIn } from '../databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

const installation = {
  id: 'T1',
  kind: 'workspace' as const,
  name: 'Example',
  botToken: 'xoxb-new',
  botUserId: 'UBOT',
  scopes: ['commands'],
  installedBy: 'U1',
  now: NOW,
}
const connection = {
  workspaceId: 'T1',
  environment: 'production' as const,
  token: 'new',
  userId: 'U1',
  now: NOW,
}

/** What saves in another process, which another forgets the workspace of as soon as it has its key. */
async function startOvertaken(place: TestDatabase, store: Store) {
  const database = await openDatabase(place.url)
  const keys = workspaceKeysIn(database, place.keys)
  let times = 0
  async function thenForgotten<T>(workspaceId: string, sealer: Promise<T>): Promise<T> {
    await sealer
    times += 1
    if (times === 1) await store.forgetWorkspace(workspaceId)
    return sealer
  }
  const overtaken: WorkspaceKeys = {
    ...keys,
    sealer: (workspaceId) => thenForgotten(workspaceId, keys.sealer(workspaceId)),
    freshSealer: (workspaceId) => thenForgotten(workspaceId, keys.freshSealer(workspaceId)),
  }
  const cache = createReadCache(database.changes)
  return {
    installations: installationStore(database, overtaken, cache),
    connections: connectionStore(database, overtaken, cache),
    threatMemory: threatMemory(database, overtaken),
    times: () => times,
    async keysLeft() {
      const left = database.rows.selectFrom('workspace_key').select('id').where('sealed_key', 'is not', null)
      return (await left.execute()).length
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

describe.each(SHARED_DATABASES)('a secret saved while its workspace is forgotten on $name', ({ start }) => {
  it('opens: an installation', async () => {
    await using place = await start()
    await using store = await openStore(place)
    await using overtaken = await startOvertaken(place, store)
    await overtaken.installations.save(installation)
    expect((await store.installations.find({ workspaceId: 'T1' }))?.botToken).toBe('xoxb-new')
    expect({ times: overtaken.times(), keys: await overtaken.keysLeft() }).toEqual({ times: 2, keys: 1 })
  })

  it('opens: a connection', async () => {
    await using place = await start()
    await using store = await openStore(place)
    await using overtaken = await startOvertaken(place, store)
    await overtaken.connections.save(connection)
    expect((await store.connections.find('T1', 'production'))?.token).toBe('new')
    expect({ times: overtaken.times(), keys: await overtaken.keysLeft() }).toEqual({ times: 2, keys: 1 })
  })

  it('opens: a threat event that is remembered, and the salt that finds it', async () => {
    await using place = await start()
    await using store = await openStore(place)
    await using overtaken = await startOvertaken(place, store)
    const event = { workspaceId: 'T1', environment: 'production' as const, traits: ['ip 192.0.2.1'] }
    await overtaken.threatMemory.remember({ ...event, eventId: 'e1', about: 'read', now: NOW })
    const found = await store.threatMemory.find({ ...event, since: new Date(0), limit: 10 })
    expect(found.map(({ about }) => about)).toEqual(['read'])
    expect({ times: overtaken.times(), keys: await overtaken.keysLeft() }).toEqual({ times: 2, keys: 1 })
  })
})
