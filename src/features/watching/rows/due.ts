import { type Database, type DatabaseTime, readTime, type Schema } from '@signalman/durable'
import { inTurns } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { isMuted, REMIND_AGAIN_MS } from '../rules/due.ts'
import { quieted } from '../rules/noise.ts'
import { eachInSlices } from '../rules/slices.ts'
import { outagesOf, writeCards } from './cards.ts'
import { endMute, findMute } from './mutes.ts'
import { cardOf, watchPlaceOf } from './row.ts'
import { channelMutes, tellStillDown } from './still-down.ts'
import type { WatchCardRow } from './tables.ts'
import { nextCardDue, scheduleDelivery, turnOf } from './watch-work.ts'

/** The wait while checks cannot be seen. */
const LOOK_AGAIN_MS = 60_000

/** Work that becomes due by time; each in one transaction. */
export interface WatchDue {
  /** Ends flapping that has been quiet, and reminds of what is down. Returns in how many ms there is more to do, if at all. */
  cards(workspaceId: string, channelId: string): Promise<number | undefined>
  /** Ends a mute and tells what it silenced and is still down. Returns in how many ms it ends, when that is not yet. */
  muteEnd(workspaceId: string, muteId: string): Promise<number | undefined>
}

export function watchDue({ inTurn }: Database, time: DatabaseTime): WatchDue {
  return {
    cards: (workspaceId, channelId) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const now = await readTime(transaction, time)
        const all = await openCards(transaction, workspaceId, channelId)
        const blind = await blindEnvironments(transaction, workspaceId)
        // A check that cannot be seen is neither quiet nor still down: its card waits until it is seen again.
        const open = all.filter(({ environment }) => !blind.has(environment))
        await endFlapping(transaction, open, now)
        await remind(transaction, time, open, now)
        await scheduleDelivery(transaction, time, workspaceId, channelId)
        const next = await nextCardDue(transaction, workspaceId, channelId)
        return next && Math.max(blind.size > 0 ? LOOK_AGAIN_MS : 1000, next.getTime() - now.getTime())
      }),

    muteEnd: (workspaceId, muteId) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const mute = await findMute(transaction, workspaceId, muteId)
        return mute && endMute(transaction, time, mute, await readTime(transaction, time))
      }),
  }
}

const openCards = (rows: Kysely<Schema>, workspaceId: string, channelId: string): Promise<WatchCardRow[]> =>
  rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('closed_at', 'is', null)
    .where((row) => row.or([row('kind', '=', 'flapping'), row('remind_at', 'is not', null)]))
    .execute()

async function blindEnvironments(rows: Kysely<Schema>, workspaceId: string): Promise<Set<Environment>> {
  const blind = await rows
    .selectFrom('watch_poll')
    .select('environment')
    .where('workspace_id', '=', workspaceId)
    .where('is_blind', '=', 1)
    .execute()
  return new Set(blind.map(({ environment }) => environment))
}

async function endFlapping(rows: Kysely<Schema>, open: readonly WatchCardRow[], now: Date): Promise<void> {
  for (const row of open) {
    if (row.kind !== 'flapping') continue
    const isDown = (await outagesOf(rows, row.id)).some(({ endedAt }) => !endedAt)
    const card = quieted(cardOf(row), isDown, now)
    if (card) await writeCards(rows, watchPlaceOf(row), [{ card, isNew: false, outageIds: [] }])
  }
}

/** Reminds a channel with one card for each environment; then again a day later. */
async function remind(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  open: readonly WatchCardRow[],
  now: Date,
): Promise<void> {
  const due = open.filter(({ remind_at }) => remind_at !== null && remind_at <= now.toISOString())
  for (const cards of Map.groupBy(due, (row) => row.environment).values()) {
    const [first] = cards
    if (!first) continue
    const place = watchPlaceOf(first)
    const mutes = await channelMutes(rows, time, place)
    const told = (await Promise.all(cards.map(({ id }) => outagesOf(rows, id)))).flat()
    const down = new Map<string, Outage>()
    await inTurns(
      eachInSlices(told, (one) => {
        if (!one.endedAt && !isMuted(one, mutes)) down.set(one.id, one)
      }),
    )
    // The cards that it reminds of are due again by themselves.
    const dues = [...down.values()].map((outage) => ({ outage, reminderMs: undefined }))
    await tellStillDown(rows, time, place, dues, { reason: 'reminder', at: now })
    const next = new Date(now.getTime() + REMIND_AGAIN_MS).toISOString()
    await rows
      .updateTable('watch_card')
      .set({ remind_at: next })
      .where(
        'id',
        'in',
        cards.map(({ id }) => id),
      )
      .where('closed_at', 'is', null)
      .execute()
  }
}
