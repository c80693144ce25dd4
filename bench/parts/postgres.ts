import pg from 'pg'
import { startPostgresDatabase } from '../../test/databases/postgres.ts'
import type { WriteCounter } from './write-counter.ts'

export { startPostgresDatabase }

/** Counts writes to a PostgreSQL database by its transaction IDs. Only transactions that write get one. */
export async function countPostgresWrites(url: string): Promise<WriteCounter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()

  async function queryNumber(statement: string): Promise<number> {
    const { rows } = await client.query<{ number: string }>(statement)
    return Number(rows[0]?.number)
  }
  const nextTransactionId = () =>
    queryNumber('select pg_snapshot_xmax(pg_current_snapshot())::text as number')
  const before = await nextTransactionId()
  return {
    async rows() {
      const { rows: tables } = await client.query<{ name: string }>(
        "select quote_ident(relname) as name from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace",
      )
      let sum = 0
      for (const { name } of tables) sum += await queryNumber(`select count(*) as number from ${name}`)
      return sum
    },
    commits: async () => (await nextTransactionId()) - before,
    [Symbol.asyncDispose]: () => client.end(),
  }
}
