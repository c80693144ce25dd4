import { type Rows, rowsIn, updateIn } from '@signalman/durable'
import { sql } from 'kysely'
import {
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
  subjectKey,
} from '../../../domain/outages/observe.ts'
import type { EarlierName, OnIt } from '../../../domain/outages/outage.ts'
import type { OpenOutage } from '../rules/alert.ts'
import { AGAIN_MS } from '../rules/decide.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { OUTAGE, PHASE, SEEN } from './columns.ts'
import { batchesOf, PAGE, pagesOf } from './pages.ts'
import { outageOf, type ScopeOf, scopeColumns } from './row.ts'

/** All outages that go on, with the states of their subjects. */
export async function goingOn(rows: Rows, scope: ScopeOf): Promise<OpenOutage[]> {
  const found: OpenOutage[] = []
  const open = rowsIn(rows, 'watch_outage', { ...scopeColumns(scope), ended_at: null })
  const query = open.orderBy('uuid').orderBy('status').limit(PAGE)
  type Row = Awaited<ReturnType<typeof query.execute>>[number]
  const after = ({ uuid, status }: Row) =>
    query.where(({ eb, refTuple, tuple }) => eb(refTuple('uuid', 'status'), '>', tuple(uuid, status)))
  for await (const page of pagesOf((last: Row | undefined) => (last ? after(last) : query).execute()))
    for (const row of page) {
      const outage = outageOf(row)
      const { check, status, id: outageId } = outage
      const { phase } = PHASE.of(row)
      if (phase) found.push({ outage, state: { check, status, outageId, ...phase }, ...SEEN.of(row) })
    }
  return found
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
  now: Moment,
): Promise<void> {
  // First, as a subject has one outage at a time.
  for (const change of changes) await writeKnown(rows, change, now)
  const opened = changes.flatMap(({ opened: one, state }) => (one ? [{ one, state }] : []))
  for await (const some of batchesOf(opened)) {
    const onIt = await stillOnIt(
      rows,
      scope,
      some.map(({ one }) => one.check.uuid),
      now,
    )
    await rows
      .insertInto('watch_outage')
      .values(
        some.map(({ one, state }) => ({
          ...scopeColumns(scope),
          uuid: one.check.uuid,
          ...OUTAGE.row({ ...one, onIt: onIt.get(one.check.uuid) }),
          ...SEEN.row({ startedSeen: now.seen }),
          ...phaseOf(state),
        })),
      )
      .execute()
  }
}

/** Whoever was on a check's last outage, if that ended a short while ago: they are believed to be on the next one too. */
async function stillOnIt(
  rows: Rows,
  scope: ScopeOf,
  uuids: readonly string[],
  { at, seen }: Moment,
): Promise<Map<string, OnIt>> {
  const recently = new Date(at.getTime() - AGAIN_MS).toISOString()
  const found = await rowsIn(rows, 'watch_outage', scopeColumns(scope))
    .where('uuid', 'in', uuids)
    .where('on_it', 'is not', null)
    .where('ended_at', '>', recently)
    .where('ended_seen', '>', seen - AGAIN_MS)
    .orderBy('ended_at')
    .execute()
  return new Map(
    found.flatMap((row) => {
      const { onIt } = OUTAGE.of(row)
      return onIt ? [[row.uuid, onIt] as const] : []
    }),
  )
}

const phaseOf = (state: SubjectState | undefined) => {
  if (!state) return PHASE.row({})
  const { phase, phasePoll, earlier, phaseAt, goodAt } = state
  return PHASE.row({ phase: { phase, phasePoll, earlier, phaseAt, goodAt } })
}

/** Writes how an outage that was known goes on, or ends. */
async function writeKnown(
  rows: Rows,
  { outage, state, opened }: SubjectChange,
  { at, seen }: Moment,
): Promise<void> {
  // Of another one that has opened since, the state is that one's.
  const own = opened ? undefined : state
  const id = outage?.id ?? own?.outageId
  if (id === undefined) return
  const ended = outage?.ended
  const goesOn = {
    ...phaseOf(own),
    ...(outage && {
      ...(await renamed(rows, id, outage.check.name, at)),
      facts: JSON.stringify(outage.check),
      bad_polls: sql<number>`case when bad_polls < ${outage.badPolls} then ${outage.badPolls} else bad_polls end`,
    }),
    ...(ended && {
      ended_at: ended.at.toISOString(),
      ended_seen: Math.max(0, seen - Math.max(0, at.getTime() - ended.at.getTime())),
      ending: ended.ending,
    }),
  }
  await updateIn(rows, 'watch_outage', { id }, goesOn)
}

const MOST_NAMES = 50

/** What it was called until now, where that is different. */
async function renamed(rows: Rows, id: string, name: string, at: Date) {
  const row = await rowsIn(rows, 'watch_outage', { id }).executeTakeFirst()
  if (!row) return {}
  const { check, earlierNames = [] } = OUTAGE.of(row)
  if (check.name === name) return {}
  const names: readonly EarlierName[] = [...earlierNames, { name: check.name, until: at }].slice(-MOST_NAMES)
  return { earlier_names: JSON.stringify(names) }
}
