import { chunksOf, type DatabaseTime, type Schema } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { type CardKind, type CardState, postKey } from '../rules/card.ts'
import { saveAndQueueCards } from './cards.ts'
import { cardOf, watchPlaceOf } from './row.ts'
import type { WatchCardRow } from './tables.ts'

const AT_ONCE = 200
const OF_OUTAGES: readonly CardKind[] = ['outage', 'flapping', 'storm', 'still-down']

/**
 * Puts what a channel missed onto one card for each environment: the outages of all cards that were never posted. Of what else was
 * never posted it drops what is over. False when there was nothing to put together or to drop.
 */
export async function mergeUntold(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
  now: Date,
): Promise<boolean> {
  const attempts = await rows
    .selectFrom('post_attempt')
    .select('key')
    .where('workspace_id', '=', workspaceId)
    .execute()
  // A card whose post has an unknown outcome may exist: it is looked for first.
  const unsure = new Set(attempts.map(({ key }) => key))
  const found = await rows
    .selectFrom('watch_card')
    .selectAll()
    .where((row) => row.and({ workspace_id: workspaceId, channel_id: channelId }))
    .where('ts', 'is', null)
    .whereRef('shown_version', '<', 'version')
    .orderBy('opened_at')
    .execute()
  const untold = found.filter(({ id }) => !unsure.has(postKey(id, 'card')))
  const [digests, others] = [untold.filter(isDigest), untold.filter((row) => !isDigest(row))]
  const over = others.filter(({ kind, closed_at }) => !OF_OUTAGES.includes(kind) && closed_at !== null)
  const dropped = [...digests.slice(0, -1), ...over]
  await drop(rows, dropped)
  // Also of what the channel has stopped to watch since: it missed it while it did.
  const telling = others.filter(({ kind }) => OF_OUTAGES.includes(kind))
  const groups = [...Map.groupBy(telling, ({ environment }) => environment).values()].filter(
    ({ length }) => length > 1,
  )
  for (const cards of groups) await merge(rows, time, cards, now)
  return dropped.length + groups.length > 0
}

const isDigest = ({ kind }: WatchCardRow): boolean => kind === 'digest'

async function merge(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  cards: readonly WatchCardRow[],
  now: Date,
): Promise<void> {
  const [first] = cards
  if (!first) return
  const outageIds = new Set<string>()
  let isAnyDown = false
  for (const some of chunksOf(cards, AT_ONCE)) {
    const found = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .select(['watch_outage.id', 'watch_outage.ended_at'])
      .where(
        'watch_card_outage.card_id',
        'in',
        some.map(({ id }) => id),
      )
      .execute()
    for (const { id, ended_at } of found) {
      outageIds.add(id)
      isAnyDown ||= ended_at === null
    }
  }
  const [remindAt] = cards
    .flatMap((row) => cardOf(row).remindAt ?? [])
    .sort((one, other) => Number(one) - Number(other))
  const card: CardState = {
    id: newId(),
    environment: first.environment,
    channelId: first.channel_id,
    kind: 'still-down',
    // Since then the channel was not told: the first of them is the oldest.
    openedAt: new Date(first.opened_at),
    changedAt: now,
    ...(isAnyDown ? { remindAt } : { closedAt: now }),
    reason: 'resumed',
  }
  await drop(rows, cards)
  await saveAndQueueCards(rows, time, watchPlaceOf(first), [{ card, isNew: true, outageIds: [...outageIds] }])
}

/** Nobody has seen them. */
async function drop(rows: Kysely<Schema>, cards: readonly WatchCardRow[]): Promise<void> {
  for (const some of chunksOf(cards, AT_ONCE))
    await rows
      .deleteFrom('watch_card')
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute()
}
