import type { Database, Rows, Schema, Sealer } from '@signalman/durable'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { CaseState } from '../rules/case-steps.ts'
import { MAX_COUNTED_CASES, type ThreatCase, type UndecryptableCase } from '../rules/threat-case.ts'
import { sealedCases } from './case-rows.ts'
import type { ThreatCaseRow } from './tables.ts'

/** Which cases to list. Without a state, lists open ones. */
export interface CaseFilter {
  readonly workspaceId: string
  readonly environment: Environment
  readonly state?: CaseState | undefined
  readonly holderId?: string | undefined
}

interface CasePage extends CaseFilter {
  readonly limit: number
  readonly offset?: number
}

/** Queries of `threat_case` for lists. An index covers each filter and order. */
export function caseQueue({ reading }: Database, keys: Sealer) {
  return {
    /** One page, most severe first, then oldest. */
    async list(page: CasePage): Promise<(ThreatCase | UndecryptableCase)[]> {
      return sealedCases.readAll(keys, await casesQuery(reading, page).execute())
    },

    /** The number of cases, counted up to `max`. */
    async count(filter: CaseFilter, max = MAX_COUNTED_CASES): Promise<number> {
      const { total } = await countQuery(reading, filter, max).executeTakeFirstOrThrow()
      return Number(total)
    },
  }
}

export function casesQuery(
  rows: Rows,
  { limit, offset = 0, ...filter }: CasePage,
): SelectQueryBuilder<Schema, 'threat_case', ThreatCaseRow> {
  const page = inQueueOrder(filterRows(rows, filter)).select('id').limit(limit).offset(offset)
  return inQueueOrder(rows.selectFrom('threat_case').where('id', 'in', page)).selectAll()
}

export const countQuery = (rows: Rows, filter: CaseFilter, max: number) =>
  rows
    .selectFrom(filterRows(rows, filter).select('id').limit(max).as('matches'))
    .select(({ fn }) => fn.countAll().as('total'))

const inQueueOrder = (query: SelectQueryBuilder<Schema, 'threat_case', object>) =>
  query.orderBy('severity').orderBy('opened_at').orderBy('id')

function filterRows(rows: Rows, { workspaceId, environment, state, holderId }: CaseFilter) {
  const inEnvironment = rows
    .selectFrom('threat_case')
    .where((row) => row.and({ workspace_id: workspaceId, environment }))
  const inState = state
    ? inEnvironment.where('state', '=', state)
    : // Literals, because the partial index isn't used with parameters.
      inEnvironment.where(sql<boolean>`state in ('open', 'taken', 'takedown-sent')`)
  return holderId === undefined ? inState : inState.where('holder_id', '=', holderId)
}
