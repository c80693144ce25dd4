import { type Rows, selectRows, splitChunks, updateRows } from '@signalman/durable'
import { yieldWhenDue } from '@signalman/runtime'
import { sql } from 'kysely'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { OnIt, WasOnIt } from '../../../domain/outages/outage.ts'
import type { ChannelIncident, Heard } from '../rules/channel/state.ts'
import type { WatchScope } from '../rules/watch.ts'
import {
  CHANNEL_INCIDENT,
  CHANNEL_INCIDENT_STATE,
  INCIDENT,
  INCIDENT_STATE,
  OBSERVED_INCIDENT,
  SCOPE,
} from './columns.ts'

/** What saving changes in a row that exists: these columns get the new values. */
const newValues = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql.ref(`excluded.${name}`)]))
const OBSERVED = newValues(OBSERVED_INCIDENT.names.filter((name) => name !== 'id'))
const CHANNEL_INCIDENT_KEY: readonly string[] = ['incident_id', 'channel_id']
const CHANGED = newValues(CHANNEL_INCIDENT.names.filter((name) => !CHANNEL_INCIDENT_KEY.includes(name)))

/** Rows per statement, because databases limit the number of values in one. */
const BATCH_SIZE = 500

export const toIncident = (row: Parameters<typeof INCIDENT_STATE.parse>[0]): Incident =>
  INCIDENT_STATE.parse(row)

/** What 0.9.0 has saved waits since the same time, and its pages count from the same times. */
export function toChannelIncident(row: Parameters<typeof CHANNEL_INCIDENT_STATE.parse>[0]): ChannelIncident {
  const {
    heard: saved,
    toldAt,
    toldUpAt,
    waitsFrom,
    pages: paged,
    ...own
  } = CHANNEL_INCIDENT_STATE.parse(row)
  const atMs = Math.max(Number(toldAt), Number(toldUpAt ?? 0))
  const isUp = toldAt && toldUpAt && toldUpAt >= toldAt
  const heard: Heard = saved ?? (toldAt ? { said: isUp ? 'up' : 'down', atMs } : { said: 'nothing' })
  if (own.waits || !waitsFrom) return { ...own, heard }
  const sinceMs = waitsFrom.getTime()
  const pages = Object.entries(paged).map(([id, { atMs, count }]) => [
    id,
    { atMs: Math.max(0, atMs - sinceMs), count },
  ])
  return { ...own, heard, waits: { ms: 0, sinceMs, pages: Object.fromEntries(pages) } }
}

/** In batches, so that thousands don't keep the process from everything else. */
export async function readOpenIncidents(rows: Rows, scope: WatchScope): Promise<Incident[]> {
  const found: Incident[] = []
  for (let after = ''; ; ) {
    const batch = await selectRows(rows, 'incident', { ...SCOPE.toRow(scope), closed_at: null })
      .where('uuid', after === '' ? '>=' : '>', after)
      .orderBy('uuid')
      .limit(BATCH_SIZE)
      .execute()
    found.push(...batch.map(toIncident))
    const last = batch.at(-1)
    if (!last || batch.length < BATCH_SIZE) return found
    after = last.uuid
    await yieldWhenDue()
  }
}

export async function readIncidents(rows: Rows, ids: readonly string[]): Promise<Incident[]> {
  const found: Incident[] = []
  for (const batch of splitChunks([...new Set(ids)], BATCH_SIZE))
    found.push(
      ...(await rows.selectFrom('incident').selectAll().where('id', 'in', batch).execute()).map(toIncident),
    )
  return found
}

/** Why the checks of an environment can't be seen, if they can't. */
export async function readNoData(rows: Rows, scope: WatchScope): Promise<Incident | undefined> {
  const where = { ...SCOPE.toRow(scope), uuid: '', closed_at: null }
  const row = await selectRows(rows, 'incident', where).executeTakeFirst()
  return row && toIncident(row)
}

/** Saves what polls know of incidents. What people wrote stays, unless a relapse released whoever the poll knew to be on it. */
export async function saveIncidents(
  rows: Rows,
  { workspaceId, environment }: WatchScope,
  incidents: readonly Incident[],
): Promise<void> {
  for (const batch of splitChunks(incidents, 100))
    await rows
      .insertInto('incident')
      .values(
        batch.map((incident) =>
          INCIDENT.toRow({ workspaceId, environment, ...incident, uuid: incident.check.uuid }),
        ),
      )
      .onConflict((conflict) => conflict.column('id').doUpdateSet(OBSERVED))
      .execute()
  for (const { id, onIt, wasOnIt } of incidents)
    if (!onIt && wasOnIt?.because === 'relapse') await saveReleased(rows, id, wasOnIt)
}

export const saveTaken = (rows: Rows, id: string, onIt: OnIt): Promise<unknown> =>
  rows
    .updateTable('incident')
    .set(({ fn, ref, val }) => ({
      ...{ on_it: JSON.stringify(onIt), was_on_it: null },
      taken_first: fn.coalesce(ref('taken_first'), val(JSON.stringify(onIt))),
    }))
    .where('id', '=', id)
    .execute()

/** Somebody isn't on it anymore, unless somebody else has taken it since. */
export async function saveReleased(rows: Rows, id: string, wasOnIt: WasOnIt): Promise<void> {
  const { because: _, fallMs: __, ...onIt } = wasOnIt
  const released = { on_it: null, was_on_it: JSON.stringify(wasOnIt) }
  await updateRows(rows, 'incident', { id, on_it: JSON.stringify(onIt) }, released)
}

export const savePaged = (rows: Rows, ids: readonly string[], at: Date): Promise<unknown> =>
  rows
    .updateTable('incident')
    .set({ paged_at: at.toISOString() })
    .where('id', 'in', ids)
    .where('paged_at', 'is', null)
    .execute()

export async function saveKnown(
  rows: Rows,
  { workspaceId, environment }: WatchScope,
  known: readonly ChannelIncident[],
): Promise<void> {
  for (const batch of splitChunks(known, 100))
    await rows
      .insertInto('incident_line')
      .values(batch.map((own) => CHANNEL_INCIDENT.toRow({ workspaceId, environment, ...own, pages: {} })))
      .onConflict((conflict) => conflict.columns(['incident_id', 'channel_id']).doUpdateSet(CHANGED))
      .execute()
}
