import { type Kysely, sql } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { CaseState } from '../../domain/threat-case.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import { caseOf, type ThreatCase } from './case-rows.ts'

/** Which cases are wanted: without a state those that are open. */
export interface CaseFilter {
  readonly workspaceId: string
  readonly environment: Environment
  readonly state?: CaseState | undefined
  readonly holderId?: string | undefined
}

export interface CaseQueue {
  /** A page of them: the worst first, and of those the oldest. */
  list(asked: CaseFilter & { limit: number; offset?: number }): Promise<ThreatCase[]>
  /** How many there are, counted up to `most`. */
  count(asked: CaseFilter, most: number): Promise<number>
}

/** `threat_case` as a queue: the indexes alone decide which rows are read. */
export function caseQueue({ reading }: Database, sealer: Sealer): CaseQueue {
  return {
    async list({ limit, offset = 0, ...filter }) {
      const page = selected(reading, filter)
        .select('id')
        .orderBy('severity')
        .orderBy('opened_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
      const found = await reading
        .selectFrom('threat_case')
        .innerJoin(page.as('page'), 'page.id', 'threat_case.id')
        .selectAll('threat_case')
        .orderBy('threat_case.severity')
        .orderBy('threat_case.opened_at')
        .orderBy('threat_case.id')
        .execute()
      return found.map((row) => caseOf(row, sealer))
    },

    async count(filter, most) {
      const { many } = await reading
        .selectFrom(selected(reading, filter).select('id').limit(most).as('some'))
        .select(({ fn }) => fn.countAll().as('many'))
        .executeTakeFirstOrThrow()
      return Number(many)
    },
  }
}

function selected(rows: Kysely<Schema>, { workspaceId, environment, state, holderId }: CaseFilter) {
  const own = rows
    .selectFrom('threat_case')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
  const stated = state
    ? own.where('state', '=', state)
    : // In letters, as the index has it: it is not used for parameters.
      own.where(sql<boolean>`state in ('open', 'taken', 'takedown-sent')`)
  return holderId === undefined ? stated : stated.where('holder_id', '=', holderId)
}
