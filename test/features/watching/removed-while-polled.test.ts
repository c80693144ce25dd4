import { newId } from '@signalman/runtime'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { changeWatching } from '../../decide.ts'
import { ALL_CHECKS } from './all-checks.ts'
import { claimPolling, SCOPE } from './poll-world.ts'

const WATCH = { ...SCOPE, filter: ALL_CHECKS, afterBadPolls: 1, ownerId: 'U9' }
const sees = (bad: readonly string[]) => ({
  ...{ bad: new Map(bad.map((name) => [name, { uuid: name, name }])), good: new Set(['shop']) },
  ...{ installing: new Set<string>(), deleted: new Set<string>() },
})

it('removes a workspace while it is polled: neither has what the other waits for', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using database = await openDatabase(server.url)
  // Rows are found as they lie in the table, so the test decides in which order they are locked.
  const { name } =
    (await sql<{ name: string }>`select current_database() as name`.execute(database.rows)).rows[0] ?? {}
  for (const scan of ['enable_indexscan', 'enable_bitmapscan'])
    await sql`alter database ${sql.id(name ?? '')} set ${sql.raw(scan)} = off`.execute(database.rows)
  await using store = await openStore({ url: server.url, keys: KEY_A })
  await using other = await openStore({ url: server.url, keys: KEY_A })
  const [first, second] = ['C1', 'C2'].map((channelId) => ({ ...WATCH, id: newId(), channelId }))
  if (!first || !second) throw new Error('There are two.')
  for (const watch of [first, second]) await changeWatching(store, 'T1', ({ watches }) => watches.add(watch))
  const { savePoll } = await claimPolling(store, 'one', 30_000)
  for (const bad of [[], ['shop']]) await savePoll(store.watching, sees(bad))
  // The work that delivers to the first channel lies behind that of the second now, but a poll changes it first.
  await changeWatching(store, 'T1', ({ watches }) =>
    watches.change(first.id, { ...first, runbook: 'https://a.example' }),
  )
  const countWaiting = async () =>
    (
      await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.rows)
    ).rows.length
  const met = await database.rows.transaction().execute(async (transaction) => {
    const posts = transaction.selectFrom('watch_post').selectAll().where('channel_id', '=', 'C2')
    expect(await posts.forUpdate().execute()).toHaveLength(1)
    const polling = savePoll(store.watching, sees([]))
    await expect.poll(countWaiting, { interval: 5 }).toBe(1)
    const removing = other.forgetWorkspace('T1')
    await expect.poll(countWaiting, { interval: 5 }).toBe(2)
    return { both: Promise.allSettled([polling, removing]) }
  })
  expect(await met.both).toMatchObject([{ value: true }, { value: { watch: 2 } }])
})
