import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../packages/durable/src/database/database.ts'
import { type CaseFilter, casesQuery, countQuery } from '../../../../src/features/threats/rows/case-queue.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { migrate, openDatabase } from '../../../databases/open.ts'
import { explainPlan } from '../../../databases/plans.ts'
import { quickOrLong } from '../../../long.ts'

/** The long run has enough cases to make slow queries noticeable. */
const CASE_COUNT = quickOrLong('CASES', { quick: 3000, long: 100_000 })
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

describe.each(SHARED_DATABASES)(`a queue of ${CASE_COUNT} cases in $name`, ({ start }) => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await start()
    database = await openDatabase(testDatabase.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date(0)))
    // Not encrypted, because the test doesn't read their content.
    await sql`
      insert into threat_case (id, workspace_id, environment, event_id, state, holder_id, severity, version, opened_at,
        changed_at, is_full, shown_version, posted_version, bad_readings, sealed_about)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(CASE_COUNT)})
      select 'c' || i, 'T1', case when i % 10 = 0 then 'ote' else 'production' end, 'e' || i,
        case i % 4 when 0 then 'taken' when 1 then 'down' when 2 then 'takedown-sent' else 'false-positive' end,
        'U' || (i % 7), i % 5, 1, ${sql.lit('2026-01-01T')} || (1000000 - i), '', 0, 1, 1, 0, '' from n`.execute(
      database.rows,
    )
  }, 120_000)
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await testDatabase?.[Symbol.asyncDispose]()
  })

  const FILTERS: Omit<CaseFilter, keyof typeof SCOPE>[] = [
    {},
    { state: 'down' },
    { holderId: 'U1' },
    { holderId: 'U1', state: 'taken' },
  ]

  it('lists the most severe cases first, then the oldest', async () => {
    const found = await casesQuery(database.reading, { ...SCOPE, limit: 40 }).execute()
    expect(found).toHaveLength(40)
    const keys = found.map(({ severity, opened_at }) => `${severity} ${opened_at}`)
    expect(keys).toEqual(keys.toSorted())
    expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['taken', 'takedown-sent']))
    const next = await casesQuery(database.reading, { ...SCOPE, limit: 10, offset: 30 }).execute()
    expect(next).toEqual(found.slice(30))
    const countRow = await countQuery(database.reading, { ...SCOPE, holderId: 'U1' }, 100).executeTakeFirst()
    expect(Number(countRow?.total)).toBe(100)
  })

  it.each(FILTERS)('is read using an index and without sorting all of it, filtered by %o', async (filter) => {
    const page = casesQuery(database.rows, { ...SCOPE, ...filter, limit: 10, offset: 20 })
    const totalQuery = countQuery(database.rows, { ...SCOPE, ...filter }, 1000)
    for (const query of [page, totalQuery]) {
      const { scans, indexes } = await explainPlan(database, query)
      // `matches` is the inner query. It returns at most a thousand rows to count.
      expect(scans.filter((scan) => scan !== 'SCAN matches')).toEqual([])
      expect(indexes.some((index) => index.startsWith('threat_case_'))).toBe(true)
    }
    // The index finds the rows. At most one sort is left, of the rows of the page.
    expect((await explainPlan(database, page)).sorts.length).toBeLessThanOrEqual(1)
  })
})
