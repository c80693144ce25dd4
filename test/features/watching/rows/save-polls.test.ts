import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import {
  extendUnsavedRun,
  type SuccessfulPoll,
  saveSuccessfulPolls,
} from '../../../../src/features/watching/rows/save-polls.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { KEY_A, SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { startPostgresDatabase } from '../../../databases/postgres.ts'
import { eitherOf } from '../../../long.ts'
import { createModel, type Model } from '../model/model.ts'

const listCards = ({ channels }: Model, channelId: string) =>
  [...channels.messages.values()]
    .filter((message) => message.channelId === channelId)
    .map(({ model }) => model)

const runMinutes = async (model: Model, count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute += 1) await model.passMinute()
}

describe.each(eitherOf(SHARED_DATABASES))('a period without polls, with $name', ({ start }) => {
  const startWithoutPolls = async ({ url, keys }: { url: string; keys: string }): Promise<Model> => {
    const model = await createModel({ url, keys })
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.setServiceFailure('unavailable')
    await runMinutes(model, 8)
    return model
  }

  it('is reported once in a channel that starts watching', async () => {
    await using database = await start()
    await using model = await startWithoutPolls(database)
    const [first] = listCards(model, 'C1')
    await model.watch(1, 0, 1)
    await model.watch(0, 1, 1, { isSecond: true })
    await runMinutes(model, 2)
    expect(listCards(model, 'C1')).toMatchObject([{ rows: [{ failure: 'unreachable', isDown: true }] }])
    expect(listCards(model, 'C2')).toMatchObject([
      { rows: [{ failure: 'unreachable', openedAt: first?.rows[0]?.openedAt }] },
    ])
    await model.passWithoutFaults(2)
    for (const channel of ['C1', 'C2'])
      expect(listCards(model, channel)).toMatchObject([{ rows: [{ isDown: false }] }])
  })

  it('isn’t reported as over in a channel that has stopped watching', async () => {
    await using database = await start()
    await using model = await startWithoutPolls(database)
    await model.watch(1, 0, 1)
    await model.unwatch(0)
    await runMinutes(model, 1)
    const [card] = listCards(model, 'C1')
    expect(card).toMatchObject({ kind: 'card', rows: [], unwatchedCount: 1 })
  })

  it('is reported by a new message if the previous period is over', async () => {
    await using database = await start()
    await using model = await startWithoutPolls(database)
    await model.passWithoutFaults(12)
    const reopenedAt = model.now().getTime()
    model.setServiceFailure('unavailable')
    await runMinutes(model, 8)
    const [former, latest] = listCards(model, 'C1')
    expect(former).toMatchObject({ rows: [{ isDown: false }] })
    expect(latest).toMatchObject({ rows: [{ isDown: true }] })
    const openedAt = Date.parse(`${latest?.rows[0]?.openedAt}`)
    // It is reported after five minutes and five polls.
    expect(Math.abs(reopenedAt - openedAt)).toBeLessThanOrEqual(6 * 60_000)
  })

  it('shows its current reason on its card, even in a channel that was paused and resumed', async () => {
    await using database = await start()
    await using model = await startWithoutPolls(database)
    await model.watch(1, 0, 1)
    await runMinutes(model, 1)
    await model.pause(1)
    model.setServiceFailure('unauthorized')
    await runMinutes(model, 2)
    expect(listCards(model, 'C1')).toMatchObject([{ rows: [{ failure: 'unauthorized', isDown: true }] }])
    await model.resume(1)
    await runMinutes(model, 1)
    expect(listCards(model, 'C2')).toMatchObject([{ rows: [{ isDown: true }] }])
  })

  it('is reported when a channel resumes, even if the channel was paused before the period or when its card was due', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.watch(1, 0, 1)
    await model.passMinute()
    await model.pause(0)
    model.channels.archived.add('C2')
    model.setServiceFailure('unavailable')
    await runMinutes(model, 8)
    model.channels.archived.clear()
    expect([...listCards(model, 'C1'), ...listCards(model, 'C2')]).toEqual([])
    for (const channel of [0, 1]) await model.resume(channel)
    await runMinutes(model, 2)
    for (const channel of ['C1', 'C2'])
      expect(listCards(model, channel)).toMatchObject([{ rows: [{ isDown: true }] }])
  })
})

it.each([
  { outcome: 'is merged with an unsaved poll a minute earlier', minutes: 1, isMerged: true },
  { outcome: 'is merged with an unsaved poll three minutes earlier', minutes: 3, isMerged: true },
  { outcome: 'isn’t merged with an unsaved poll four minutes earlier', minutes: 4, isMerged: false },
  // The merged period would end before it starts.
  { outcome: 'isn’t merged if the clock was set back', minutes: -1, isMerged: false },
])('an unchanged poll $outcome', ({ minutes, isMerged }) => {
  const atMinute = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))
  const resultFields = { statuses: [], total: 1, isFull: false, missedChanges: { down: 0, up: 0 } }
  const createUnchanged = (minute: number) => ({
    scope: { workspaceId: 'T1', environment: 'production' } as const,
    leaseHolder: { workId: 'w', owner: 'me' },
    result: { ...resultFields, poll: 1, at: atMinute(minute), clockMs: 0, intervalMs: 60_000 },
  })
  const previous = { ...createUnchanged(0), since: atMinute(0) }
  expect(extendUnsavedRun(createUnchanged(minutes), previous)?.since).toEqual(
    isMerged ? atMinute(0) : undefined,
  )
})

it('counts time as observed from the first unsaved poll', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const scope = { workspaceId: 'T1', environment: 'production' } as const
  const [since, at] = [3, 6].map((minute) => new Date(Date.UTC(2026, 2, 1, 12, minute)))
  if (!since || !at) throw new Error('Expected two times.')
  await store.watching.watches.add({
    ...{ ...scope, channelId: 'C1', filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once' },
    ...{ reminderHours: 0, ownerId: 'U1', madeAt: at },
  } as const)
  const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 1)
  const { polls, history } = store.watching
  const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
  const resultFields = {
    statuses: ['UNHEALTHY' as const],
    total: 1,
    isFull: false,
    missedChanges: { down: 0, up: 0 },
  }
  const result = { ...resultFields, poll: 1, at, clockMs: 0, intervalMs: 60_000 }
  expect(await polls.saveUnchanged([{ scope, leaseHolder, since, result }])).toEqual([true])
  const wholeTime = { ...scope, from: new Date(0), to: new Date(at.getTime() * 2) }
  expect(await history.listObserved(wholeTime)).toEqual([{ from: since, to: at }])
})

it('reads only its own workspace’s rows when saving a poll among 5,000 workspaces on PostgreSQL', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using database = await openDatabase(server.url)
  await using store = await openStore({ url: server.url, keys: KEY_A })
  await store.work.add({ workspaceId: 'T1', kind: WATCH_WORK.poll, body: {} }, 'waiting')
  const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 1)
  const at = new Date('2026-03-01T12:00:00.000Z')
  const minuteBefore = new Date(at.getTime() - 60_000).toISOString()
  const rowValues = sql`select 'T' || nth, 'production', ${minuteBefore}, ${minuteBefore}`
  const allWorkspaces = sql`from generate_series(1, 5000) as nth`
  for (const statement of [
    sql`insert into watch_observed (workspace_id, environment, from_at, to_at) ${rowValues} ${allWorkspaces}`,
    sql`insert into watch_poll (workspace_id, environment, due_at, last_ok_at, poll_group, polls, failed_polls, is_undecided, clock_ms)
      ${rowValues}, 0, 1, 0, 0, 0 ${allWorkspaces}`,
    sql`analyze`,
  ])
    await statement.execute(database.rows)
  const counters = await database.rows.transaction().execute(async (transaction) => {
    const result: SuccessfulPoll = {
      poll: 2,
      at,
      clockMs: 0,
      intervalMs: 60_000,
      total: 1,
      isFull: false,
    }
    const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
    const scope = { workspaceId: 'T1', environment: 'production' } as const
    expect(await saveSuccessfulPolls(transaction, 'postgres', [{ scope, leaseHolder, result }])).toEqual([
      true,
    ])
    return await sql<{
      relname: string
      count: string
    }>`select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as count
      from pg_stat_xact_user_tables where relname like 'watch%'`.execute(transaction)
  })
  const counts = counters.rows.map(({ count }) => Number(count))
  expect(Math.max(...counts)).toBeGreaterThan(0)
  expect(Math.max(...counts)).toBeLessThan(10)
})
