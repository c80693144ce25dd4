import { type Kysely, sql } from 'kysely'
import type { CardWithOutages } from '../../domain/watching/card.ts'
import { FLAPPING_EDIT_MS } from '../../domain/watching/flapping.ts'
import type { Mute, WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow } from '../database/watch-rows.ts'
import { outagesOf } from './cards.ts'
import { cardOf, dateOf, muteFrom } from './row.ts'

/** The next message to send to a channel: a card, or the reply in a card's thread. */
export interface Untold {
  readonly place: WatchPlace
  readonly told: CardWithOutages
  /** The version that the message will show. */
  readonly version: number
  readonly what: 'card' | 'details'
  /** The card's message; undefined until it is posted. */
  readonly ts: string | undefined
  /** The message to edit; undefined to post a new one. */
  readonly editTs: string | undefined
  /** When posting it was last begun, while the outcome of that is unknown. */
  readonly attemptedAt: Date | undefined
  readonly mutes: readonly Mute[]
  readonly now: Date
}

/** The shortest wait. */
const LEAST_WAIT_MS = 1000

export const untoldRows = (rows: Kysely<Schema>, workspaceId: string, channelId: string) =>
  rows
    .selectFrom('watch_card')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where(sql<boolean>`(shown_version < version or details_version < version)`)

/** See `WatchOutbox.next`. */
export async function nextUntold(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
): Promise<Untold | { waitMs: number } | undefined> {
  if (await isPaused(rows, workspaceId, channelId)) return undefined
  const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
  const shownSince = new Date(new Date(now).getTime() - FLAPPING_EDIT_MS).toISOString()
  /** A flapping card is edited only some time after its last edit. */
  const isResting = sql<boolean>`(ts is not null and kind = 'flapping' and closed_at is null and
    shown_kind is not null and shown_kind = 'flapping' and shown_at > ${shownSince})`
  /** It is too early to know whether the message was posted. An edit of a message that exists does not wait for that. */
  const isUnsure = sql<boolean>`(look_at is not null and look_at > ${now} and
    (ts is null or shown_version >= version))`
  const row = await untoldRows(rows, workspaceId, channelId)
    .selectAll()
    .where(sql<boolean>`not ${isResting}`)
    .where(sql<boolean>`not ${isUnsure}`)
    .orderBy(sql`case when ts is null then 0 when shown_version < version then 1 else 2 end`)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (row) return await untoldOf(rows, row, new Date(now))
  const held = await untoldRows(rows, workspaceId, channelId)
    .select([
      sql<string | null>`min(case when ${isUnsure} then null else shown_at end)`.as('shown'),
      sql<string | null>`min(case when ${isUnsure} then look_at end)`.as('look'),
    ])
    .executeTakeFirst()
  const times = [
    ...(held?.shown ? [new Date(held.shown).getTime() + FLAPPING_EDIT_MS] : []),
    ...(held?.look ? [new Date(held.look).getTime()] : []),
  ]
  if (times.length === 0) return undefined
  return { waitMs: Math.max(LEAST_WAIT_MS, Math.min(...times) - new Date(now).getTime()) }
}

async function isPaused(rows: Kysely<Schema>, workspaceId: string, channelId: string): Promise<boolean> {
  const paused = await rows
    .selectFrom('watch')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('paused_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return paused !== undefined
}

async function untoldOf(rows: Kysely<Schema>, row: WatchCardRow, now: Date): Promise<Untold> {
  const mutes = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where('workspace_id', '=', row.workspace_id)
    .where('channel_id', '=', row.channel_id)
    .where('environment', '=', row.environment)
    .execute()
  const what = row.ts === null || row.shown_version < row.version ? 'card' : 'details'
  const editTs = (what === 'card' ? row.ts : row.details_ts) ?? undefined
  return {
    place: {
      workspaceId: row.workspace_id,
      channelId: row.channel_id,
      environment: row.environment,
      ...(row.enterprise_id !== null && { enterpriseId: row.enterprise_id }),
    },
    told: { card: cardOf(row), outages: await outagesOf(rows, row.id) },
    version: row.version,
    what,
    ts: row.ts ?? undefined,
    editTs,
    attemptedAt: editTs === undefined ? dateOf(row.attempted_at) : undefined,
    mutes: mutes.map(muteFrom),
    now,
  }
}
