import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { KEY_A, KEY_B, SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const DAY_MS = 86_400_000
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS)
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

const createEntry = (eventId: string, traits: readonly string[], now = NOW) => ({
  ...SCOPE,
  eventId,
  summary: { domain: `${eventId}.example` },
  traits,
  now,
})

describe.each(SHARED_DATABASES)('stored threat events in $name', ({ start }) => {
  it('are found by shared traits within one workspace and environment, newest first', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatMemory: memory } = store
    await memory.remember(createEntry('a', ['ip 192.0.2.1', 'brand shops'], daysAgo(2)))
    await memory.remember(createEntry('b', ['ip 192.0.2.1'], daysAgo(1)))
    await memory.remember(createEntry('c', ['brand shops'], daysAgo(100)))
    await memory.remember({ ...createEntry('d', ['ip 192.0.2.1']), workspaceId: 'T2' })
    await memory.remember({ ...createEntry('e', ['ip 192.0.2.1']), environment: 'ote' })
    const found = await memory.find({
      ...SCOPE,
      traits: ['ip 192.0.2.1', 'brand shops'],
      since: daysAgo(90),
      limit: 9,
    })
    expect(found).toEqual([
      { environment: 'production', eventId: 'b', summary: { domain: 'b.example' }, readAt: daysAgo(1) },
      { environment: 'production', eventId: 'a', summary: { domain: 'a.example' }, readAt: daysAgo(2) },
    ])
    const counts = await memory.countEventsByTrait({
      ...SCOPE,
      eventId: 'a',
      traits: ['ip 192.0.2.1', 'brand shops'],
      since: daysAgo(90),
    })
    expect([...counts]).toEqual([['ip 192.0.2.1', 1]])
    expect(
      await memory.find({
        ...SCOPE,
        workspaceId: 'T9',
        traits: ['brand shops'],
        since: daysAgo(90),
        limit: 9,
      }),
    ).toEqual([])
  })

  it('have one row each, which is rewritten at most once a day if unchanged', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatMemory: memory } = store
    const readTimes = async () =>
      (
        await memory.find({
          ...SCOPE,
          traits: ['ip 192.0.2.2', 'ip 192.0.2.1'],
          since: daysAgo(90),
          limit: 9,
        })
      ).map(({ readAt }) => readAt)
    await memory.remember(createEntry('a', ['ip 192.0.2.1'], daysAgo(2)))
    await memory.remember(createEntry('a', ['ip 192.0.2.1'], daysAgo(1.5)))
    expect(await readTimes()).toEqual([daysAgo(2)])
    await memory.remember(createEntry('a', ['ip 192.0.2.2'], daysAgo(1.4)))
    expect(await readTimes()).toEqual([daysAgo(1.4)])
    expect(await memory.find({ ...SCOPE, traits: ['ip 192.0.2.1'], since: daysAgo(90), limit: 9 })).toEqual(
      [],
    )
    await Promise.all([
      memory.remember(createEntry('a', ['ip 192.0.2.2'])),
      memory.remember(createEntry('a', ['ip 192.0.2.2'])),
    ])
    expect(await readTimes()).toEqual([NOW])
  })

  it('are deleted after each workspace’s retention period', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { threatMemory: memory, settings } = store
    const retentionSetting = { key: 'kept', read: Number }
    await settings.set('T1', retentionSetting, 7)
    for (const workspaceId of ['T1', 'T2'])
      for (const days of [5, 20, 100])
        await memory.remember({ ...createEntry(`of-${days}`, ['brand x'], daysAgo(days)), workspaceId })
    expect(await memory.sweep({ workspaceId: 'T1' }, daysAgo(7))).toBe(2)
    expect(await memory.sweep({ withoutSetting: retentionSetting.key }, daysAgo(90))).toBe(1)
    const listIds = async (workspaceId: string) =>
      (await memory.find({ ...SCOPE, workspaceId, traits: ['brand x'], since: new Date(0), limit: 9 })).map(
        ({ eventId }) => eventId,
      )
    expect(await listIds('T1')).toEqual(['of-5'])
    expect(await listIds('T2')).toEqual(['of-5', 'of-20'])
    expect(await store.forgetWorkspace('T2')).toMatchObject({ threats: 2 })
    expect(await listIds('T2')).toEqual([])
  })
})

it.each(SHARED_DATABASES)(
  'encrypts stored threat events on $name, and still finds them after a new key is added',
  async ({ start }) => {
    await using database = await start()
    {
      await using store = await openStore(database)
      await store.threatMemory.remember(createEntry('a', ['ip 192.0.2.77', 'brand secret-shops']))
    }
    {
      await using raw = await openDatabase(database.url)
      const rows = await Promise.all(
        (['threat_seen', 'threat_trait', 'digest_salt'] as const).map((table) =>
          raw.rows.selectFrom(table).selectAll().execute(),
        ),
      )
      expect(JSON.stringify(rows)).not.toMatch(/192\.0\.2\.77|secret-shops|a\.example/)
    }
    await using store = await openStore({ ...database, keys: `${KEY_B},${KEY_A}` })
    expect(
      await store.threatMemory.find({ ...SCOPE, traits: ['ip 192.0.2.77'], since: daysAgo(1), limit: 9 }),
    ).toHaveLength(1)
  },
)
