import { describe, expect, it } from 'vitest'
import { observe } from '../../../src/domain/watching/observe.ts'
import { EVERY_CHECK, type NewWatch } from '../../../src/domain/watching/watch.ts'
import { openStore, WATCH_WORK } from '../../../src/store/store.ts'
import { DATABASES } from '../databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const WATCH: NewWatch = {
  ...SCOPE,
  channelId: 'C1',
  filter: EVERY_CHECK,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: NOW,
}

describe.each(DATABASES)('polls on $name', ({ start }) => {
  it('are written by one that has read what is known, once', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches, polls, history } = store.watching
    await watches.add(WATCH)
    const [work] = await store.work.claimDue('me', 60_000, [WATCH_WORK.poll], 9)
    const by = { workId: work?.id ?? '', owner: 'me' }
    // Two polls at once, each with what was known before the other.
    const scopes = [await polls.scope(SCOPE), await polls.scope(SCOPE)]
    const check = { uuid: 'a1', name: 'web-1' }
    const recorded: boolean[] = []
    for (const [nth, scope] of scopes.entries()) {
      if (!scope) throw new Error('Nothing is watched.')
      const bad = new Map([['a1 UNHEALTHY' as const, { check, status: 'UNHEALTHY' as const }]])
      const none = { good: new Set<never>(), deleted: new Set<never>(), baseline: new Set<never>() }
      const seen = { poll: scope.poll, at: NOW, bad, ...none }
      const changes = observe(scope.states, seen, () => `outage-${nth}`)
      const candidates = changes.flatMap(({ state }) => state ?? [])
      const { poll, mark } = scope
      const part = { poll, at: NOW, mark, nextMark: `mark-${nth}`, changes, candidates }
      recorded.push(await polls.record(SCOPE, by, part))
    }
    expect(recorded).toEqual([true, false])
    const period = { from: new Date(0), to: new Date(NOW.getTime() + 1), limit: 9 }
    expect(await history.outages({ ...SCOPE, ...period })).toMatchObject([{ id: 'outage-0' }])
    const again = await polls.scope(SCOPE)
    expect([...(again?.states.keys() ?? [])]).toEqual(['a1 UNHEALTHY'])
    expect(again?.mark).toBe('mark-0')
  })
})
