import { CompiledQuery, sql } from 'kysely'
import type { Database } from '../../packages/durable/src/database/database.ts'

/** What a database would do for a query, however few rows there are now. */
export interface QueryPlan {
  /** Tables that would be read row by row, without an index. */
  readonly scans: readonly string[]
  /** Sorts of more rows than are returned. */
  readonly sorts: readonly string[]
  readonly indexes: readonly string[]
  /** No row is read, because the indexes contain all requested columns. */
  readonly isCovered: boolean
}

export async function planOf(database: Database, query: { compile(): CompiledQuery }): Promise<QueryPlan> {
  return database.kind === 'sqlite' ? await sqlitePlan(database, query) : await postgresPlan(database, query)
}

async function sqlitePlan({ rows }: Database, query: { compile(): CompiledQuery }): Promise<QueryPlan> {
  const { sql, parameters } = query.compile()
  const explained = await rows.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  const steps = explained.rows.map(({ detail }) => detail)
  return {
    scans: steps.filter(
      (step) => /^SCAN (?!CONSTANT ROW)/.test(step) && !/USING (?:COVERING )?INDEX/.test(step),
    ),
    sorts: steps.filter((step) => step.includes('TEMP B-TREE')),
    isCovered: steps.every((step) => step.includes('USING COVERING INDEX')),
    indexes: steps.flatMap((step) => /USING (?:COVERING )?INDEX (\S+)/.exec(step)?.[1] ?? []),
  }
}

/** A node of `explain (format json)`: https://www.postgresql.org/docs/18/sql-explain.html */
interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

async function postgresPlan({ rows }: Database, query: { compile(): CompiledQuery }): Promise<QueryPlan> {
  const { sql: text, parameters } = query.compile()
  return await rows.transaction().execute(async (transaction) => {
    // A small table is read entirely, whatever its indexes. These settings show the plan for a large one.
    await sql`set local enable_seqscan = off`.execute(transaction)
    await sql`set local enable_bitmapscan = off`.execute(transaction)
    const { rows } = await transaction.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]),
    )
    const root = rows[0]?.['QUERY PLAN'][0].Plan
    if (root === undefined) throw new Error('PostgreSQL explained nothing.')
    const nodes = [...under(root)]
    return {
      scans: nodes.flatMap(({ node }) =>
        node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [],
      ),
      sorts: nodes.flatMap(({ node, isCut }) =>
        isCut && /Sort/.test(node['Node Type']) ? [node['Node Type']] : [],
      ),
      isCovered: nodes.every(
        ({ node }) => !('Index Name' in node) || node['Node Type'] === 'Index Only Scan',
      ),
      indexes: nodes.flatMap(({ node }) => node['Index Name'] ?? []),
    }
  })
}

/** Every node, and whether its parent only takes some of its rows. */
function* under(node: PlanNode, isCut = false): Generator<{ node: PlanNode; isCut: boolean }> {
  yield { node, isCut }
  for (const inner of node.Plans ?? []) yield* under(inner, isCut || node['Node Type'] === 'Limit')
}
