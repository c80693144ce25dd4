import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { databaseTime } from '../../../packages/durable/src/database/clock.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { sweepRows } from '../../../packages/durable/src/database/delete-rows.ts'
import { partitionsOf } from '../../../packages/durable/src/database/partitions.ts'
import { deleteRowsOf } from '../../../packages/durable/src/index.ts'
import { MODEL } from '../../../src/app/model.ts'
import { migrate, openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'

const DAY_MS = 86_400_000

interface Place extends AsyncDisposable {
  readonly url: string
  readonly database: Database
  /** Sweeps as a process does by this clock. */
  sweep(now: string): Promise<ReadonlyMap<string, number>>
}

/** A database whose tables were made on a day in March. */
async function startPlace(now = '2026-03-10T00:00:00.000Z'): Promise<Place> {
  await using started = new AsyncDisposableStack()
  const { url } = started.use(await startPostgresDatabase())
  const database = started.use(await openDatabase(url))
  await database.exclusively((transaction) => migrate(transaction, new Date(now)))
  const all = started.move()
  return {
    url,
    database,
    sweep: (at) =>
      sweepRows(
        database,
        databaseTime('postgres', () => new Date(at)),
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const observed = (from_at: string, workspace_id = 'T1', to_at = from_at) => ({
  workspace_id,
  environment: 'production' as const,
  from_at,
  to_at,
})

async function looked({ database: { rows } }: Place, ...ats: readonly string[]): Promise<void> {
  await rows
    .insertInto('watch_observed')
    .values(ats.map((at) => observed(at)))
    .execute()
}

/** Each partition of the table with its rows that are in it. */
async function months({ database: { rows } }: Place, table: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of await partitionsOf(rows, table)) {
    const { rows: found } = await sql<{
      n: number
    }>`select count(*)::integer as n from ${sql.table(name)}`.execute(rows)
    counts[name.slice(table.length + 1)] = found[0]?.n ?? 0
  }
  return counts
}

describe('a table that grows with time, on PostgreSQL', () => {
  it('is partitioned by the column that its declaration names, and no other table is', async () => {
    await using place = await startPlace()
    const { rows } = await sql<{ name: string; by: string }>`
      select c.relname::text as name, pg_get_partkeydef(c.oid) as by from pg_partitioned_table p
      join pg_class c on c.oid = p.partrelid`.execute(place.database.rows)
    const declared = MODEL.tables.flatMap(({ name, partitionedBy }) =>
      partitionedBy === undefined ? [] : [[name, `RANGE (${partitionedBy})`]],
    )
    expect(Object.fromEntries(rows.map(({ name, by }) => [name, by]))).toEqual(Object.fromEntries(declared))
    expect(declared.map(([name]) => name).toSorted()).toEqual(['audit_entry', 'watch_observed'])
  })

  it('has its months before they begin, and goes on having them', async () => {
    await using place = await startPlace()
    expect(Object.keys(await months(place, 'watch_observed'))).toEqual([
      '2026_03',
      '2026_04',
      '2026_05',
      'rest',
    ])
    await looked(place, '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z')
    await place.sweep('2026-04-01T00:00:00.000Z')
    expect(await months(place, 'watch_observed')).toEqual({
      '2026_03': 1,
      '2026_04': 1,
      '2026_05': 0,
      '2026_06': 0,
      rest: 0,
    })
  })

  it('takes rows of any time, and gives them to their month once it is made', async () => {
    await using place = await startPlace()
    await looked(place, '2019-01-01T00:00:00.000Z', '2026-06-15T00:00:00.000Z', '2099-01-01T00:00:00.000Z')
    expect(await months(place, 'watch_observed')).toMatchObject({ rest: 3 })
    await place.sweep('2026-04-02T00:00:00.000Z')
    // What is long over was swept by itself.
    expect(await months(place, 'watch_observed')).toMatchObject({ '2026_06': 1, rest: 1 })
  })

  it('drops a month whole once all of it is over, and no row of it sooner', async () => {
    await using place = await startPlace()
    await looked(place, '2026-03-01T00:00:00.000Z', '2026-03-31T00:00:00.000Z', '2026-04-01T00:00:00.000Z')
    await place.sweep('2026-06-29T00:00:00.000Z')
    expect(await months(place, 'watch_observed')).toMatchObject({ '2026_03': 2 })
    const counts = await place.sweep(new Date(Date.UTC(2026, 3, 1) + 90 * DAY_MS + 1).toISOString())
    expect(counts.get('watch_observed')).toBe(0)
    const left = await months(place, 'watch_observed')
    expect(left).toMatchObject({ '2026_04': 1 })
    expect(left).not.toHaveProperty('2026_03')
  })

  it('keeps a month in which one row is still to be kept, and sweeps the others one by one', async () => {
    await using place = await startPlace()
    await place.database.rows
      .insertInto('watch_observed')
      .values([
        observed('2026-03-02T00:00:00.000Z', 'T1', '2026-03-03T00:00:00.000Z'),
        observed('2026-03-02T00:00:00.000Z', 'T2', '2026-09-01T00:00:00.000Z'),
      ])
      .execute()
    await place.sweep('2026-09-01T00:00:00.000Z')
    expect(await months(place, 'watch_observed')).toMatchObject({ '2026_03': 1 })
    await place.sweep('2026-12-31T00:00:00.000Z')
    expect(await months(place, 'watch_observed')).not.toHaveProperty('2026_03')
  })

  it('drops a month of the audit log only when each workspace has let go of its rows', async () => {
    await using place = await startPlace()
    const { rows } = place.database
    const row = {
      previous_hash: '',
      hash: '',
      user_id: 'U1',
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    await rows
      .insertInto('audit_entry')
      .values({ ...row, workspace_id: 'T1', sequence: 1, at: '2026-03-02T00:00:00.000Z' })
      .execute()
    await place.sweep('2036-01-01T00:00:00.000Z')
    const kept = await months(place, 'audit_entry')
    expect(kept).toMatchObject({ '2026_03': 1 })
    expect(kept).not.toHaveProperty('2026_04')
    await rows.deleteFrom('audit_entry').execute()
    await place.sweep('2036-01-01T00:00:00.000Z')
    expect(await months(place, 'audit_entry')).not.toHaveProperty('2026_03')
  })

  it('loses the rows of one workspace from all months, and no row of another one', async () => {
    await using place = await startPlace()
    const ats = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']
    await place.database.rows
      .insertInto('watch_observed')
      .values(['T1', 'T2'].flatMap((workspace) => ats.map((at) => observed(at, workspace))))
      .execute()
    expect(await deleteRowsOf(place.database, 'T1', 'watch_observed')).toBe(3)
    const left = await place.database.rows.selectFrom('watch_observed').select('workspace_id').execute()
    expect(left).toEqual(Array.from({ length: 3 }, () => ({ workspace_id: 'T2' })))
  })

  it('has its months made and dropped once, however many processes sweep at once', async () => {
    await using place = await startPlace()
    await looked(place, '2026-03-01T00:00:00.000Z', '2026-06-15T00:00:00.000Z')
    await using other = await openDatabase(place.url)
    const at = '2026-07-02T00:00:00.000Z'
    const time = databaseTime('postgres', () => new Date(at))
    await Promise.all([place.sweep(at), sweepRows(other, time), place.sweep(at), sweepRows(other, time)])
    const left = await months(place, 'watch_observed')
    expect(left).toMatchObject({ '2026_07': 0, '2026_09': 0, rest: 1 })
    expect(left).not.toHaveProperty('2026_03')
  })

  it('waits for nobody who reads a month for long', async () => {
    await using place = await startPlace()
    await looked(place, '2026-03-01T00:00:00.000Z')
    await place.database.snapshot(async (reader) => {
      await sql`select count(*) from watch_observed`.execute(reader)
      await place.sweep('2026-07-02T00:00:00.000Z')
      expect(await months(place, 'watch_observed')).toMatchObject({ '2026_03': 0, rest: 0 })
    })
    await place.sweep('2026-07-02T00:00:00.000Z')
    const left = await months(place, 'watch_observed')
    expect(left).not.toHaveProperty('2026_03')
    expect(left).toHaveProperty('2026_07')
  })
})
