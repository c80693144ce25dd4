import { setImmediate as nextTurn } from 'node:timers/promises'
import { chunksOf, deleteIn, type Rows, rowsIn } from '@signalman/durable'
import { sql } from 'kysely'
import {
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
  subjectKey,
  subjectOf,
} from '../../../domain/outages/observe.ts'
import type { CheckFacts, Outage, WatchedStatus } from '../../../domain/outages/outage.ts'
import { OUTAGE, STATE } from './columns.ts'
import { outageOf, type ScopeOf, scopeColumns } from './row.ts'

/** Rows of one statement: the number of its values is limited, and other work waits for it. */
const AT_ONCE = 100
/** States read in one turn of the event loop. */
const PAGE = 500

/** The state of every subject that is not simply good. */
export async function statesOf(rows: Rows, scope: ScopeOf): Promise<Map<SubjectKey, SubjectState>> {
  const states = new Map<SubjectKey, SubjectState>()
  let after: { uuid: string; status: WatchedStatus } | undefined
  for (;;) {
    const last = after
    let query = rowsIn(rows, 'watch_state', scopeColumns(scope))
    if (last)
      query = query.where((row) =>
        row.or([
          row('uuid', '>', last.uuid),
          row.and([row('uuid', '=', last.uuid), row('status', '>', last.status)]),
        ]),
      )
    const page = await query.orderBy('uuid').orderBy('status').limit(PAGE).execute()
    for (const row of page) states.set(subjectKey(row.uuid, row.status), STATE.of(row))
    after = page.at(-1)
    if (!after || page.length < PAGE) return states
    await nextTurn()
  }
}

/** Writes changed states, with their outages. */
export async function writeSubjects(
  rows: Rows,
  scope: ScopeOf,
  changes: readonly SubjectChange[],
): Promise<void> {
  const ofCheck = ({ uuid }: CheckFacts) => ({ ...scopeColumns(scope), uuid })
  const newOutages = changes.flatMap((change) => change.opened ?? [])
  for (const some of chunksOf(newOutages, AT_ONCE))
    await rows
      .insertInto('watch_outage')
      .values(some.map((one) => ({ ...ofCheck(one.check), ...OUTAGE.row(one) })))
      .execute()
  const states = changes.flatMap((change) => change.state ?? [])
  for (const some of chunksOf(states, AT_ONCE))
    await rows
      .insertInto('watch_state')
      .values(
        some.map((one) => ({ ...ofCheck(one.check), ...STATE.row({ ...one, earlier: one.earlier ?? [] }) })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'environment', 'uuid', 'status'])
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(STATE.names.map((name) => [name, ref(`excluded.${name}`)])),
          ),
      )
      .execute()
  for (const { outage } of changes) if (outage) await writeOutage(rows, outage)
  for (const { key, state } of changes)
    if (!state) await deleteIn(rows, 'watch_state', { ...scopeColumns(scope), ...subjectOf(key) })
}

async function writeOutage(
  rows: Rows,
  { id, check, badPolls, ended }: NonNullable<SubjectChange['outage']>,
): Promise<void> {
  await rows
    .updateTable('watch_outage')
    .set({
      facts: JSON.stringify(check),
      bad_polls: sql<number>`case when bad_polls < ${badPolls} then ${badPolls} else bad_polls end`,
      ...(ended && { ended_at: ended.at.toISOString(), ending: ended.ending }),
    })
    .where('id', '=', id)
    .execute()
}

/** Outages by their ids. */
export async function outagesById(rows: Rows, ids: readonly string[]): Promise<Map<string, Outage>> {
  const found = new Map<string, Outage>()
  for (const some of chunksOf(ids, AT_ONCE)) {
    const page = await rows.selectFrom('watch_outage').selectAll().where('id', 'in', some).execute()
    for (const row of page) found.set(row.id, outageOf(row))
  }
  return found
}
