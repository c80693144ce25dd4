import { type Database, type DatabaseTime, type Rows, selectRows, updateRows } from '@signalman/durable'
import { runInSlices } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { CardWithIncidents, ListedIncident } from '../rules/card.ts'
import type { Reach } from '../rules/environment-state.ts'
import { subjectMatcher } from '../rules/matching.ts'
import type { Silence } from '../rules/silence.ts'
import { sortedInSlices } from '../rules/slices.ts'
import { CARDS, type WatchCardRow } from './columns.ts'
import { readIncidentsById, readUnseen, toIncident } from './incidents.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { readWatches } from './poll-rows.ts'
import { scopeColumns, toWatchChannel, type WatchScope } from './row.ts'
import { readChannelSilences } from './silences.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, watchingLock } from './watch-work.ts'

/** Updates cards. */
export function createCardStore({ withLock }: Database, time: DatabaseTime) {
  const update = (scope: WatchScope) =>
    withLock(watchingLock(scope.workspaceId), (transaction) => updateChannels(transaction, time, scope))
  return {
    /** Updates an environment when its timer is due. */
    async update(workspaceId: string, environment: string): Promise<undefined> {
      // Cast: the key of this work is an environment.
      await update({ workspaceId, environment: environment as Environment })
    },

    /** Pages whoever is due, and remembers who is in which group. Returns who has to be looked up first. */
    page: (scope: WatchScope, reach?: Reach) =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        if (reach) await saveGroups(transaction, scope, reach)
        return updateChannels(transaction, time, scope, { reach, looksUp: true })
      }),
  }
}

/** Saves the members of user groups with the watches that page them. */
async function saveGroups(rows: Rows, scope: WatchScope, { groups }: Reach): Promise<void> {
  for (const { id, escalation = [], groups: before = {} } of await readWatches(rows, scope)) {
    const ids = escalation.flatMap(({ responders }) =>
      responders.flatMap(({ id: responder = '' }) => responder),
    )
    const found = Object.fromEntries(
      ids.flatMap((one) => (groups.has(one) ? [[one, groups.get(one) ?? []]] : [])),
    )
    const after = JSON.stringify({ ...before, ...found })
    if (after !== JSON.stringify(before)) await updateRows(rows, 'watch', { id }, { groups: after })
  }
}

/** A message with the current state of its incidents, and the running silences of the channel that it is about. */
export async function readCardWithIncidents(
  rows: Rows,
  time: DatabaseTime,
  row: WatchCardRow,
): Promise<CardWithIncidents & { readonly silences: readonly Silence[] }> {
  const card = CARDS.parse(row)
  const channel = toWatchChannel(row)
  const silences = await readChannelSilences(rows, time, {
    ...channel,
    channelId: card.page?.originId ?? channel.channelId,
  })
  const covers = silences.map(({ subject }) => subjectMatcher(subject))
  const found = card.page
    ? await readIncidentsById(rows, card.page.incidentIds)
    : await readListed(rows, row.id)
  const incidents = found.map(
    (incident): ListedIncident => ({
      ...incident,
      isSilenced: !incident.closed && covers.some((isCovered) => isCovered(incident.check)),
    }),
  )
  const sorted = await runInSlices(
    sortedInSlices(
      incidents,
      (left, right) => left.openedAt.getTime() - right.openedAt.getTime() || (left.id < right.id ? -1 : 1),
    ),
  )
  return {
    card,
    version: row.version,
    incidents: sorted,
    movedTo: await readMoved(rows, card.moved),
    unseen: await readUnseen(rows, channel),
    silences,
  }
}

/** The incidents that a card lists. */
async function readListed(rows: Rows, cardId: string) {
  const query = rows
    .selectFrom('incident_line')
    .innerJoin('incident', 'incident.id', 'incident_line.incident_id')
    .selectAll('incident')
    .where('incident_line.card_id', '=', cardId)
    .orderBy('incident.id')
    .limit(PAGE_SIZE)
  const found: ReturnType<typeof toIncident>[] = []
  for await (const page of readPages(query, ({ id }) => query.where('incident.id', '>', id)))
    found.push(...page.map(toIncident))
  return found
}

async function readMoved(rows: Rows, moved: Readonly<Record<string, number>>) {
  const ids = Object.keys(moved)
  if (ids.length === 0) return []
  const cards = await rows
    .selectFrom('watch_card')
    .select(['id', 'channel_id', 'ts'])
    .where('id', 'in', ids)
    .execute()
  return ids.map((id) => {
    const card = cards.find((one) => one.id === id)
    return { channelId: card?.channel_id ?? '', ts: card?.ts ?? undefined, count: moved[id] ?? 0 }
  })
}

/**
 * After each full listing, open cards that weren't edited for this long are edited again. If a card was deleted from Slack, the
 * edit fails and Signalman posts the card again.
 */
const REDRAW_AFTER_MS = 5 * 60_000
const MAX_REDRAWN_CARDS = 50

/** Schedules edits of the open cards that were edited longest ago. */
export async function redrawOldestCards(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  at: Date,
): Promise<void> {
  const before = new Date(at.getTime() - REDRAW_AFTER_MS).toISOString()
  const old = await selectRows(rows, 'watch_card', { ...scopeColumns(scope), closed_at: null })
    .where('ts', 'is not', null)
    // `shown_at` is in the future if the clock was set back.
    .where((row) => row.or([row('shown_at', '<', before), row('shown_at', '>', at.toISOString())]))
    .orderBy('shown_at')
    .limit(MAX_REDRAWN_CARDS)
    .execute()
  const ids = old.map(({ id }) => id)
  await redrawCards(rows, time, scope.workspaceId, ids)
}
