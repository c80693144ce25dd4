import { CompiledQuery, sql } from 'kysely'
import type { Database } from '../../packages/durable/src/database/database.ts'

/** How a database would execute a query if the tables were large. */
export interface QueryPlan {
  /** Full table scans: the table's name in PostgreSQL, the line of the plan in SQLite. */
  readonly scans: readonly string[]
  /** Sorts that no index avoids. In PostgreSQL, only those below a limit, which read more rows than the query returns. */
  readonly sorts: readonly string[]
  readonly indexes: readonly string[]
  /** Whether the indexes contain all requested columns, so that no table row is read. */
  readonly isCovered: boolean
}

export async function explainPlan(
  database: Database,
  query: { compile(): CompiledQuery },
): Promise<QueryPlan> {
  return database.kind === 'sqlite'
    ? await explainInSqlite(database, query)
    : await explainInPostgres(database, query)
}

async function explainInSqlite({ rows }: Database, query: { compile(): CompiledQuery }): Promise<QueryPlan> {
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

async function explainInPostgres(
  { rows }: Database,
  query: { compile(): CompiledQuery },
): Promise<QueryPlan> {
  const { sql: text, parameters } = query.compile()
  return await rows.transaction().execute(async (transaction) => {
    // PostgreSQL reads a small table completely, without its indexes. These settings show the plan for a large one.
    await sql`set local enable_seqscan = off`.execute(transaction)
    await sql`set local enable_bitmapscan = off`.execute(transaction)
    const { rows } = await transaction.executeQuery<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      CompiledQuery.raw(`explain (format json) ${text}`, [...parameters]),
    )
    const root = rows[0]?.['QUERY PLAN'][0].Plan
    if (root === undefined) throw new Error('PostgreSQL returned no query plan.')
    const nodes = [...listNodes(root)]
    return {
      scans: nodes.flatMap(({ node }) =>
        node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [],
      ),
      sorts: nodes.flatMap(({ node, isLimited }) =>
        isLimited && /Sort/.test(node['Node Type']) ? [node['Node Type']] : [],
      ),
      isCovered: nodes.every(
        ({ node }) => !('Index Name' in node) || node['Node Type'] === 'Index Only Scan',
      ),
      indexes: nodes.flatMap(({ node }) => node['Index Name'] ?? []),
    }
  })
}

/** Yields every node, and whether a parent node limits the number of its rows. */
function* listNodes(node: PlanNode, isLimited = false): Generator<{ node: PlanNode; isLimited: boolean }> {
  yield { node, isLimited }
  for (const inner of node.Plans ?? []) yield* listNodes(inner, isLimited || node['Node Type'] === 'Limit')
}
