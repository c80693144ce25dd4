import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createHistoryStore } from '../../../src/features/watching/rows/history.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { SCOPE } from './poll-world.ts'

const START = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const CHECKS = 700
const HOURS = 6
const at = (hour: number) => new Date(START + hour * HOUR_MS)

describe.each(SHARED_DATABASES)('thousands of incidents on $name', ({ start }) => {
  it('are listed newest first, each once, and only if they overlap', async () => {
    await using address = await start()
    await (await openStore(address))[Symbol.asyncDispose]()
    await using database = await openDatabase(address.url)
    // At each hour, all checks fall at once. Each is down for ten minutes, and the last one for good.
    for (let hour = 0; hour < HOURS; hour += 1)
      await sql`
        insert into incident (workspace_id, environment, uuid, id, facts, is_down, is_installing, bad_polls, downs, is_baseline, opened_at, closed_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(CHECKS)})
        select ${sql.lit(SCOPE.workspaceId)}, ${sql.lit(SCOPE.environment)}, 'c' || ${sql.lit(hour)} || '-' || i, ${sql.lit(hour)} || '-' || i, '{"name":"x"}', 0, 0, 0, '[]', 0,
          ${sql.lit(at(hour).toISOString())}, case when i = 700 then null else ${sql.lit(at(hour + 1 / 6).toISOString())} end
        from n`.execute(database.rows)
    const { listIncidents } = createHistoryStore(database)
    const list = async (from: number, to: number, limit = 100_000) =>
      (await listIncidents(SCOPE, { from: at(from), to: at(to) }, limit)).map(({ id }) => id)
    const all = await list(0, HOURS)
    expect([all.length, new Set(all).size]).toEqual([CHECKS * HOURS, CHECKS * HOURS])
    expect(all.map((id) => Number(id[0]))).toEqual(all.map((id) => Number(id[0])).toSorted((a, b) => b - a))
    expect(await list(0, HOURS, 1500)).toEqual(all.slice(0, 1500))
    // What closed before doesn't count, and what is open does.
    expect(await list(2.5, 3)).toEqual(['2-700', '1-700', '0-700'])
    expect((await list(3, 4)).length).toBe(CHECKS + 3)
    expect(await list(-2, 0)).toEqual([])
  })
})
