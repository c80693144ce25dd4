import { type Rows, selectRows, updateRows } from '@signalman/durable'
import { sql } from 'kysely'
import {
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
  subjectKey,
} from '../../../domain/outages/observe.ts'
import type { EarlierName, OnIt } from '../../../domain/outages/outage.ts'
import type { OpenOutage } from '../rules/alert.ts'
import { RELAPSE_MS } from '../rules/decide.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { OUTAGE, PHASE, WATCH_CLOCK_TIMES } from './columns.ts'
import { inBatches, PAGE_SIZE, readPages } from './pages.ts'
import { scopeColumns, toOutage, type WatchScope } from './row.ts'

/** Reads all open outages with their polling state. */
export async function readOpenOutages(rows: Rows, scope: WatchScope): Promise<OpenOutage[]> {
  const found: OpenOutage[] = []
  const open = selectRows(rows, 'watch_outage', { ...scopeColumns(scope), ended_at: null })
  const query = open.orderBy('uuid').orderBy('status').limit(PAGE_SIZE)
  const pages = readPages(query, ({ uuid, status }) =>
    query.where(({ eb, refTuple, tuple }) => eb(refTuple('uuid', 'status'), '>', tuple(uuid, status))),
  )
  for await (const page of pages)
    for (const row of page) {
      const outage = toOutage(row)
      const { check, status, id: outageId } = outage
      const { phase: pollingState } = PHASE.parse(row)
      if (pollingState) {
        const state = { check, status, outageId, ...pollingState }
        found.push({ outage, state, ...WATCH_CLOCK_TIMES.parse(row) })
      }
    }
  return found
}

/** Reads the states of all subjects with an open outage. A subject is a check together with a watched status. */
export const readSubjectStates = async (
  rows: Rows,
  scope: WatchScope,
): Promise<Map<SubjectKey, SubjectState>> =>
  new Map(
    (await readOpenOutages(rows, scope)).map(({ state }) => [
      subjectKey(state.check.uuid, state.status),
      state,
    ]),
  )

/** Saves the changes of subjects and their outages. */
export async function writeSubjects(
  rows: Rows,
  scope: WatchScope,
  changes: readonly SubjectChange[],
  now: Moment,
): Promise<void> {
  // Outages are ended before new ones are inserted, because a subject can have only one open outage.
  for (const change of changes) await updateOutage(rows, change, now)
  const opened = changes.flatMap(({ opened: outage, state }) => (outage ? [{ outage, state }] : []))
  for await (const batch of inBatches(opened)) {
    const onIt = await readInheritedOnIt(
      rows,
      scope,
      batch.map(({ outage }) => outage.check.uuid),
      now,
    )
    await rows
      .insertInto('watch_outage')
      .values(
        batch.map(({ outage, state }) => ({
          ...scopeColumns(scope),
          uuid: outage.check.uuid,
          ...OUTAGE.toRow({ ...outage, onIt: onIt.get(outage.check.uuid) }),
          ...WATCH_CLOCK_TIMES.toRow({ startedClockMs: now.clockMs }),
          ...phaseColumns(state),
        })),
      )
      .execute()
  }
}

/**
 * Reads who was on each check's previous outage, if that ended recently, by UUID. That person is assumed to be on the new outage
 * too.
 */
async function readInheritedOnIt(
  rows: Rows,
  scope: WatchScope,
  uuids: readonly string[],
  { at, clockMs }: Moment,
): Promise<Map<string, OnIt>> {
  const relapseCutoff = new Date(at.getTime() - RELAPSE_MS).toISOString()
  const found = await selectRows(rows, 'watch_outage', scopeColumns(scope))
    .where('uuid', 'in', uuids)
    .where('on_it', 'is not', null)
    .where('ended_at', '>', relapseCutoff)
    .where('ended_clock_ms', '>', clockMs - RELAPSE_MS)
    .orderBy('ended_at')
    .execute()
  return new Map(
    found.flatMap((row) => {
      const { onIt } = OUTAGE.parse(row)
      return onIt ? [[row.uuid, onIt] as const] : []
    }),
  )
}

const phaseColumns = (state: SubjectState | undefined) => {
  if (!state) return PHASE.toRow({})
  const { phase, phasePoll, earlier, phaseAt, goodAt } = state
  return PHASE.toRow({ phase: { phase, phasePoll, earlier, phaseAt, goodAt } })
}

/** Saves the changes to an existing outage, including its end. */
async function updateOutage(
  rows: Rows,
  { outage, state, opened }: SubjectChange,
  { at, clockMs }: Moment,
): Promise<void> {
  // If a new outage has opened, the state belongs to that outage.
  const ownState = opened ? undefined : state
  const id = outage?.id ?? ownState?.outageId
  if (id === undefined) return
  const ended = outage?.ended
  const changes = {
    ...phaseColumns(ownState),
    ...(outage && {
      ...(await nameColumns(rows, id, outage.check.name, at)),
      facts: JSON.stringify(outage.check),
      bad_polls: sql<number>`case when bad_polls < ${outage.badPolls} then ${outage.badPolls} else bad_polls end`,
    }),
    ...(ended && {
      ended_at: ended.at.toISOString(),
      // The end on the watch clock: as long before `clockMs` as `ended.at` is before `at`.
      ended_clock_ms: Math.max(0, clockMs - Math.max(0, at.getTime() - ended.at.getTime())),
      ending: ended.ending,
    }),
  }
  await updateRows(rows, 'watch_outage', { id }, changes)
}

const MAX_EARLIER_NAMES = 50

/** Returns the column that records a check's previous name, or no column if the name hasn't changed. */
async function nameColumns(rows: Rows, id: string, name: string, at: Date) {
  const row = await selectRows(rows, 'watch_outage', { id }).executeTakeFirst()
  if (!row) return {}
  const { check, earlierNames = [] } = OUTAGE.parse(row)
  if (check.name === name) return {}
  const names: readonly EarlierName[] = [...earlierNames, { name: check.name, until: at }].slice(
    -MAX_EARLIER_NAMES,
  )
  return { earlier_names: JSON.stringify(names) }
}
