import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import { observe } from '../../../../src/domain/outages/observe.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS, type NewWatch } from '../../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createSilence } from '../silences.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const PLACE = { ...SCOPE, channelId: 'C1' } as const
const SETTINGS = { filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once', reminderHours: 4 } as const
const WATCH: NewWatch = { ...PLACE, ...SETTINGS, ownerId: 'U1', madeAt: NOW }
const SILENCE = createSilence({ ...PLACE, from: NOW })
// Characters that JSON and SQL escape.
const CHECK = { uuid: 'a1', name: `it's "one" \\ {of} many 🟢` }
const QUERY = { ...PLACE, uuid: CHECK.uuid, outageLimit: 2 }

/** Saves up to four polls. The check is down, up twice (ten minutes apart, which ends the outage), and down again. */
async function savePolls({ watching: { polls }, work }: Store, count = 4) {
  const [claimed] = await work.claimDue('me', [WATCH_WORK.poll], 9)
  const by = { workId: claimed?.id ?? '', owner: 'me' }
  let statesVersion: string | null = null
  let states: Parameters<typeof observe>[0] = new Map()
  const results: readonly (readonly [poll: number, isDown: boolean])[] = [
    [1, true],
    [2, false],
    [3, false],
    [4, true],
  ]
  for (const [poll, isDown] of results.slice(0, count)) {
    const ms = poll * 10 * 60_000
    const now = { at: new Date(NOW.getTime() + ms), clockMs: ms }
    const bad = new Map(isDown ? [[CHECK.uuid, CHECK]] : [])
    const good = new Set(isDown ? [] : [CHECK.uuid])
    const seen = { ...now, poll, previousClockMs: ms - 600_000, bad, good, deleted: new Set<never>() }
    const changes = observe(states, seen, () => `outage-${poll}`)
    const nextStatesVersion = `mark-${poll}`
    expect(await polls.saveBatch(SCOPE, by, { poll, now, statesVersion, nextStatesVersion, changes })).toBe(
      true,
    )
    const result = { poll, ...now, intervalMs: 600_000, total: 1, isFull: false }
    await polls.saveResult(SCOPE, by, { result })
    statesVersion = nextStatesVersion
    states = new Map(
      changes.flatMap(({ incident }) => (incident.closed ? [] : [[CHECK.uuid, incident] as const])),
    )
  }
}

describe.each(SHARED_DATABASES)('the stored details of a check on $name', ({ start }) => {
  it('match the results of separate queries', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watching } = store
    const { watches, silences, history } = watching
    expect(await watching.readCheckDetails(QUERY)).toEqual({
      watches: [],
      silences: [],
      latest: [],
    })
    const filter = { include: [{ field: 'name', pattern: `it's "*" \\` }], exclude: [] } as const
    for (const other of [
      { channelId: 'C2', enterpriseId: 'E1', filter },
      { environment: 'ote' as const },
      {},
    ])
      await watches.add({ ...WATCH, ...other })
    await watches.pause('T1', 'C2', 'archived', NOW)
    const until = new Date('2099-01-01T00:00:00.000Z')
    const subject = { kind: 'check', uuid: 'a1', name: CHECK.name } as const
    await silences.add({ ...SILENCE, planId: 'm0', subject, reason: `it's "new"` })
    for (const [planId, other] of [
      ['m1', { channelId: 'C2' }],
      ['m2', { environment: 'ote' as const }],
      ['m3', {}],
      ['m4', { channelId: undefined, kind: 'maintenance' as const, forMs: 60_000 }],
    ] as const)
      await silences.add({ ...SILENCE, planId, ...other })

    const details = await watching.readCheckDetails(QUERY)
    expect(details.watches).toEqual(await watches.list('T1', { environment: 'production' }))
    expect(details.watches.map(({ channelId }) => channelId)).toEqual(['C1', 'C2'])
    const channelSilences = await silences.list('T1', { channelId: 'C1', environment: 'production' })
    expect(channelSilences.map(({ planId }) => planId).toSorted()).toEqual(['m0', 'm3', 'm4'])
    expect(details.silences).toHaveLength(channelSilences.length)
    expect(details.silences).toEqual(expect.arrayContaining(channelSilences))

    await savePolls(store)
    const period = { from: new Date(0), to: until, limit: 9 }
    const outages = await history.listOutages({ ...SCOPE, ...period })
    expect(outages).toHaveLength(2)
    const { latest } = await watching.readCheckDetails(QUERY)
    expect(latest).toEqual(outages.toReversed())
    expect(latest[0]).toMatchObject({ id: 'outage-4', check: CHECK })
    expect((await watching.readCheckDetails({ ...QUERY, outageLimit: 1 })).latest).toEqual(latest.slice(0, 1))
  })

  it('leave out other workspaces and checks, and silences of other channels', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watching } = store
    await watching.watches.add(WATCH)
    await watching.silences.add(SILENCE)
    await savePolls(store)
    const nothing = { watches: [], silences: [], latest: [] }
    expect(await watching.readCheckDetails({ ...QUERY, workspaceId: 'T2' })).toEqual(nothing)
    expect((await watching.readCheckDetails(QUERY)).latest).toHaveLength(2)
    expect((await watching.readCheckDetails({ ...QUERY, uuid: 'a2' })).latest).toEqual([])
    for (const channelId of ['C2', undefined]) {
      const details = await watching.readCheckDetails({ ...QUERY, channelId })
      expect(details.silences).toEqual([])
      expect(details.watches).toHaveLength(1)
    }
  })
})

describe.each(SHARED_DATABASES)('the history of an environment on $name', ({ start }) => {
  it('has the start of the open outage of each check', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches, history } = store.watching
    await watches.add(WATCH)
    await savePolls(store)
    const period = { from: new Date(0), to: new Date('2099-01-01T00:00:00.000Z'), limit: 9 }
    const { startedAt } = (await history.listOutages({ ...SCOPE, ...period }))[1] ?? {}
    expect(startedAt).toBeInstanceOf(Date)
    expect(await history.findDownSince(SCOPE, [CHECK.uuid, 'a2'])).toEqual(
      new Map([[CHECK.uuid, { at: startedAt }]]),
    )
    expect(await history.findDownSince({ ...SCOPE, workspaceId: 'T2' }, [CHECK.uuid])).toEqual(new Map())
    expect(await history.findAllUpSince(SCOPE)).toBeUndefined()
  })

  it('has each check on record once, in its own workspace only', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches } = store.watching
    await watches.add(WATCH)
    await savePolls(store)
    const { findRecordedChecks, findNamesake } = store.watching
    const all = () => true
    const recorded = { check: CHECK, names: new Set([CHECK.name]) }
    expect(await findRecordedChecks(SCOPE, all)).toEqual([recorded])
    expect(await findRecordedChecks(SCOPE, ({ names }) => names.has('other'))).toEqual([])
    expect(await findNamesake(SCOPE, { ...CHECK, uuid: 'other' })).toBe(CHECK.uuid)
    expect(await findNamesake(SCOPE, CHECK)).toBeUndefined()
    for (const other of [{ workspaceId: 'T2' }, { environment: 'ote' as const }]) {
      expect(await findRecordedChecks({ ...SCOPE, ...other }, all)).toEqual([])
      expect(await findNamesake({ ...SCOPE, ...other }, { ...CHECK, uuid: 'other' })).toBeUndefined()
    }
  })

  it('includes when the last outage ended, if a watch covers all checks', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches, history } = store.watching
    const filter = { include: [{ field: 'name', pattern: 'it*' }], exclude: [] } as const
    await watches.add({ ...WATCH, filter })
    await savePolls(store, 3)
    const period = { from: new Date(0), to: new Date('2099-01-01T00:00:00.000Z'), limit: 9 }
    const [outage] = await history.listOutages({ ...SCOPE, ...period })
    expect(outage?.endedAt).toBeDefined()
    expect(await history.findAllUpSince(SCOPE)).toBeUndefined()
    await watches.add({ ...WATCH, channelId: 'C2', madeAt: NOW })
    expect(await history.findAllUpSince(SCOPE)).toEqual(outage?.endedAt)
    expect(await history.findAllUpSince({ ...SCOPE, workspaceId: 'T2' })).toBeUndefined()
  })
})
