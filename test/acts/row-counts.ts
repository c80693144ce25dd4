import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

export interface RowCounts {
  /** Counts the acts of these people, or of everybody, and their attempts. `open` counts unfinished acts, and unfinished work that acts started. */
  acts(people?: readonly string[]): Promise<{ all: number; open: number; attempts: number }>
  /** Counts steps without an outcome in acts that have ended. */
  openSteps(): Promise<number>
}

/** The lease owner of work that a test has claimed itself. Such work isn't counted. */
export const TEST_OWNER = 'the test'

const selectActs = (
  people: readonly string[],
) => `select sum(case when kind = 'act' then 1 else 0 end) as total,
  sum(case when state in ('waiting', 'running') then 1 else 0 end) as open,
  sum(case when kind = 'act' then attempts else 0 end) as attempts
  from work where kind in ('act', 'health-checks.changes', 'order.submit', 'order.notice')
  and (owner is null or owner <> '${TEST_OWNER}')
  ${people.length > 0 ? `and person_id in (${people.map((id) => `'${id}'`).join()})` : ''}`
const STEPS = `select count(*) as total from work_step join work on work.id = work_step.work_id
  where work.kind = 'act' and work.state not in ('waiting', 'running') and work_step.state = 'begun'`

export function openRowCounts(url: string): RowCounts & AsyncDisposable {
  const client = url.startsWith('sqlite:') ? sqlite(url.slice('sqlite:'.length)) : postgres(url)
  return {
    async acts(people = []) {
      const { total, open, attempts } = await client.first(selectActs(people))
      return { all: Number(total ?? 0), open: Number(open ?? 0), attempts: Number(attempts ?? 0) }
    },
    openSteps: async () => Number((await client.first(STEPS)).total),
    [Symbol.asyncDispose]: client.close,
  }
}

type Row = Record<string, unknown>

function sqlite(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 30_000 })
  return {
    first: async (sql: string): Promise<Row> => database.prepare(sql).get() ?? {},
    close: async () => database.close(),
  }
}

function postgres(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  return {
    first: async (sql: string): Promise<Row> => (await pool.query<Row>(sql)).rows[0] ?? {},
    close: () => pool.end(),
  }
}
