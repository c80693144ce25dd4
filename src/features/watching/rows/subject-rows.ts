import { setImmediate as nextTurn } from 'node:timers/promises'
import { chunksOf, type Rows, rowsIn, updateIn } from '@signalman/durable'
import { sql } from 'kysely'
import {
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
  subjectKey,
} from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { Candidate } from '../rules/due.ts'
import { OUTAGE, PHASE } from './columns.ts'
import { outageOf, type ScopeOf, scopeColumns } from './row.ts'

/** Rows of one statement: the number of its values is limited, and other work waits for it. */
const AT_ONCE = 100
/** Outages read in one turn of the event loop. */
const PAGE = 500

/** All outages that go on, with the states of their subjects. */
export async function goingOn(rows: Rows, scope: ScopeOf): Promise<Candidate[]> {
  const found: Candidate[] = []
  const open = rowsIn(rows, 'watch_outage', { ...scopeColumns(scope), ended_at: null })
  const query = open.orderBy('uuid').orderBy('status').limit(PAGE)
  for (let next = query; ; await nextTurn()) {
    const page = await next.execute()
    for (const row of page) {
      const outage = outageOf(row)
      const { check, status, id: outageId } = outage
      const { phase } = PHASE.of(row)
      if (phase) found.push({ outage, state: { check, status, outageId, ...phase } })
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) return found
    next = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('uuid', 'status'), '>', tuple(last.uuid, last.status)),
    )
  }
}

/** The state of every subject that is not simply good. */
export const statesOf = async (rows: Rows, scope: ScopeOf): Promise<Map<SubjectKey, SubjectState>> =>
  new Map(
    (await goingOn(rows, scope)).map(({ state }) => [subjectKey(state.check.uuid, state.status), state]),
  )

/** Writes what became of subjects and their outages. */
export async function writeSubjects(
  rows: Rows,
  scope: ScopeOf,
  changes: readonly SubjectChange[],
): Promise<void> {
  // First, as a subject has one outage at a time.
  for (const change of changes) await writeKnown(rows, change)
  const opened = changes.flatMap(({ opened: one, state }) =>
    one ? [{ ...scopeColumns(scope), uuid: one.check.uuid, ...OUTAGE.row(one), ...phaseOf(state) }] : [],
  )
  for (const some of chunksOf(opened, AT_ONCE)) await rows.insertInto('watch_outage').values(some).execute()
}

const phaseOf = (state: SubjectState | undefined) => {
  if (!state) return PHASE.row({})
  const { phase, phasePoll, earlier, phaseAt, goodAt } = state
  return PHASE.row({ phase: { phase, phasePoll, earlier, phaseAt, goodAt } })
}

/** Writes how an outage that was known goes on, or ends. */
async function writeKnown(rows: Rows, { outage, state, opened }: SubjectChange): Promise<void> {
  // Of another one that has opened since, the state is that one's.
  const own = opened ? undefined : state
  const id = outage?.id ?? own?.outageId
  if (id === undefined) return
  const goesOn = {
    ...phaseOf(own),
    ...(outage && {
      facts: JSON.stringify(outage.check),
      bad_polls: sql<number>`case when bad_polls < ${outage.badPolls} then ${outage.badPolls} else bad_polls end`,
    }),
    ...(outage?.ended && { ended_at: outage.ended.at.toISOString(), ending: outage.ended.ending }),
  }
  await updateIn(rows, 'watch_outage', { id }, goesOn)
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
