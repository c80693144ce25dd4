import { type Rows, selectRows, updateRows } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { sql } from 'kysely'
import type { IncidentChange, ObservedEvent, ObservedIncident } from '../../../domain/outages/observe.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { EVENT_KINDS, type Incident, type IncidentEvent, type Line, toUnseen } from '../rules/incident.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { EVENT, type IncidentRow, LINE, OBSERVED_INCIDENT, ON_CALL } from './columns.ts'
import { inBatches, PAGE_SIZE, readPages, readPagesById } from './pages.ts'
import { type ChannelKey, scopeColumns, type WatchScope } from './row.ts'

const toObserved = (row: ReturnType<typeof OBSERVED_INCIDENT.toRow>): ObservedIncident => {
  const {
    fellAt,
    fellClockMs,
    fellUnseenSince,
    fellGaps,
    upAt,
    upClockMs = 0,
    upUnseenSince,
    upGaps,
    quietSinceMs = 0,
    isInstalling,
    closedAt,
    ending,
    ...incident
  } = OBSERVED_INCIDENT.parse(row)
  return {
    ...incident,
    fell: { at: fellAt, clockMs: fellClockMs, unseenSince: fellUnseenSince, gaps: fellGaps },
    up: upAt && {
      at: upAt,
      clockMs: upClockMs,
      unseenSince: upUnseenSince,
      gaps: upGaps,
      quietSinceMs,
      isInstalling,
    },
    closed: closedAt && { at: closedAt, ending: ending ?? 'recovered' },
  }
}

export const toIncident = (
  row: Parameters<typeof toObserved>[0] & ReturnType<typeof ON_CALL.toRow>,
): Incident => ({
  ...toObserved(row),
  ...ON_CALL.parse(row),
})

const observedColumns = ({ fell, up, closed, ...incident }: ObservedIncident) => ({
  name_key: foldName(incident.check.name),
  ...OBSERVED_INCIDENT.toRow({
    ...incident,
    fellAt: fell.at,
    fellClockMs: fell.clockMs,
    fellUnseenSince: fell.unseenSince,
    fellGaps: fell.gaps,
    upAt: up?.at,
    upClockMs: up?.clockMs,
    upUnseenSince: up?.unseenSince,
    upGaps: up?.gaps,
    quietSinceMs: up?.quietSinceMs,
    isInstalling: up?.isInstalling ?? false,
    closedAt: closed?.at,
    ending: closed?.ending,
  }),
})

/** Reads all open incidents, page by page. */
async function* readOpenRows(rows: Rows, scope: WatchScope): AsyncGenerator<readonly IncidentRow[]> {
  const open = selectRows(rows, 'incident', { ...scopeColumns(scope), closed_at: null })
  const query = open.orderBy('uuid').limit(PAGE_SIZE)
  yield* readPages(query, ({ uuid }) => query.where('uuid', '>', uuid))
}

export async function readOpenIncidents(rows: Rows, scope: WatchScope): Promise<Incident[]> {
  const found: Incident[] = []
  for await (const page of readOpenRows(rows, scope)) for (const row of page) found.push(toIncident(row))
  return found
}

/** The open incidents as polls know them, by UUID. */
export async function readObservedIncidents(
  rows: Rows,
  scope: WatchScope,
): Promise<Map<string, ObservedIncident>> {
  const found = new Map<string, ObservedIncident>()
  for await (const page of readOpenRows(rows, scope))
    for (const row of page) found.set(row.uuid, toObserved(row))
  return found
}

export async function readIncidentsById(rows: Rows, ids: Iterable<string>): Promise<Incident[]> {
  const found: Incident[] = []
  const byId = (batch: readonly string[]) =>
    rows.selectFrom('incident').selectAll().where('id', 'in', batch).execute()
  for await (const page of readPagesById([...new Set(ids)], byId))
    for (const row of page) found.push(toIncident(row))
  return found
}

/** Whether the environment's checks can't be seen. */
export const readBlindness = async (rows: Rows, scope: WatchScope): Promise<Incident | undefined> => {
  const open = { ...scopeColumns(scope), uuid: '', closed_at: null }
  const row = await selectRows(rows, 'incident', open).executeTakeFirst()
  return row && toIncident(row)
}

/** Since when the environment's checks can't be seen. Undefined if they can. */
export async function readUnseen(rows: Rows, scope: WatchScope): Promise<Unseen | undefined> {
  const blindness = await readBlindness(rows, scope)
  return blindness && toUnseen(blindness)
}

/** Saves what a poll changed, with its events. */
export async function saveIncidentChanges(
  rows: Rows,
  scope: WatchScope,
  changes: readonly IncidentChange[],
  now: Moment,
): Promise<void> {
  // Incidents are closed before new ones are opened, because a check can have only one open incident.
  for (const { incident, isNew } of changes)
    if (!isNew) {
      const { id, ...changed } = observedColumns(incident)
      await updateRows(rows, 'incident', { id }, changed)
    }
  for await (const batch of inBatches(changes.filter(({ isNew }) => isNew)))
    await rows
      .insertInto('incident')
      .values(
        batch.map(({ incident }) => ({
          ...scopeColumns(scope),
          uuid: incident.check.uuid,
          ...observedColumns(incident),
          ...ON_CALL.toRow({ paged: {} }),
        })),
      )
      .execute()
  await saveEvents(
    rows,
    scope,
    changes.flatMap(({ incident, events }) =>
      events.map((event) => ({
        ...toNewEvent(event),
        incidentId: incident.id,
        at: getEventTime(incident, event.kind) ?? now.at,
      })),
    ),
  )
}

/** The time that the incident has for the event, which differs from that of the poll if the clock was set back. */
function getEventTime({ fell, up, closed }: ObservedIncident, kind: ObservedEvent['kind']): Date | undefined {
  if (kind === 'down') return fell.at
  if (kind === 'up') return up?.at
  return kind === 'over' ? closed?.at : undefined
}

const toNewEvent = (event: ObservedEvent): Pick<IncidentEvent, 'kind' | 'details'> => {
  const { kind, ...details } = event
  return Object.keys(details).length > 0 ? { kind, details } : { kind }
}

export async function saveEvents(
  rows: Rows,
  { workspaceId }: Pick<WatchScope, 'workspaceId'>,
  events: readonly IncidentEvent[],
): Promise<void> {
  for await (const batch of inBatches(events))
    await rows
      .insertInto('incident_event')
      .values(batch.map((event) => EVENT.toRow({ ...event, workspaceId, id: newId() })))
      .execute()
}

/** The events of incidents, oldest first, by incident. */
export async function readEvents(
  rows: Rows,
  incidentIds: readonly string[],
  kinds?: readonly IncidentEvent['kind'][],
): Promise<Map<string, IncidentEvent[]>> {
  const found: IncidentEvent[] = []
  const byIncident = (ids: readonly string[]) => {
    const query = rows.selectFrom('incident_event').selectAll().where('incident_id', 'in', ids)
    return (kinds ? query.where('kind', 'in', kinds) : query).execute()
  }
  for await (const page of readPagesById(incidentIds, byIncident)) found.push(...page.map(EVENT.parse))
  found.sort(
    (left, right) =>
      left.at.getTime() - right.at.getTime() ||
      EVENT_KINDS.indexOf(left.kind) - EVENT_KINDS.indexOf(right.kind),
  )
  return Map.groupBy(found, ({ incidentId }) => incidentId)
}

export function toLine(row: ReturnType<typeof LINE.toRow>): Line {
  const {
    escalatesAt,
    escalatesClockMs = 0,
    namedAt,
    namedClockMs = 0,
    workspaceId: _workspace,
    environment: _environment,
    ...line
  } = LINE.parse(row)
  return {
    ...line,
    escalatesSince: escalatesAt && { at: escalatesAt, clockMs: escalatesClockMs },
    named: namedAt && { at: namedAt, clockMs: namedClockMs },
  }
}

const LINE_KEY = ['incident_id', 'channel_id'] as const
/** On conflict, overwrites every column except the key. */
const OVERWRITE_LINE = Object.fromEntries(
  LINE.names
    .filter((name) => !LINE_KEY.some((key) => key === name))
    .map((name) => [name, sql.ref(`excluded.${name}`)]),
)

export async function saveLines(rows: Rows, scope: WatchScope, lines: readonly Line[]): Promise<void> {
  for await (const batch of inBatches(lines))
    await rows
      .insertInto('incident_line')
      .values(
        batch.map(({ escalatesSince, named, ...line }) =>
          LINE.toRow({
            ...scope,
            ...line,
            escalatesAt: escalatesSince?.at,
            escalatesClockMs: escalatesSince?.clockMs,
            namedAt: named?.at,
            namedClockMs: named?.clockMs,
          }),
        ),
      )
      .onConflict((conflict) => conflict.columns(LINE_KEY).doUpdateSet(OVERWRITE_LINE))
      .execute()
}

/** The lines of some incidents, in every channel. */
export async function readLinesOf(rows: Rows, incidentIds: readonly string[]): Promise<Line[]> {
  const found: Line[] = []
  const byIncident = (ids: readonly string[]) =>
    rows.selectFrom('incident_line').selectAll().where('incident_id', 'in', ids).execute()
  for await (const page of readPagesById(incidentIds, byIncident)) found.push(...page.map(toLine))
  return found
}

/** A channel's lines in one environment. */
export const readChannelLines = async (rows: Rows, channel: ChannelKey & WatchScope): Promise<Line[]> =>
  (
    await selectRows(rows, 'incident_line', {
      ...scopeColumns(channel),
      channel_id: channel.channelId,
    }).execute()
  ).map(toLine)
