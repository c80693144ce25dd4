import { type Kysely, sql } from 'kysely'
import { type CardKind, type CardWithOutages, FLAPPING_EDIT_MS } from '../../domain/watching/card.ts'
import type { Mute, WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow } from '../database/watch-rows.ts'
import { outagesOf } from './cards.ts'
import { holdBack, type SlackMethod, takeTurn } from './pace.ts'
import { cardOf, muteFrom } from './row.ts'

/** The next thing that a channel is to be sent: a card, or the reply in a card's thread. */
export interface Untold {
  readonly place: WatchPlace
  readonly told: CardWithOutages
  /** What this brings the message up to. */
  readonly version: number
  readonly what: 'card' | 'details'
  /** Of the card's message; undefined until it is posted. */
  readonly ts: string | undefined
  /** Of the message that is edited; undefined where one is posted. */
  readonly editTs: string | undefined
  readonly mutes: readonly Mute[]
  readonly now: Date
}

export interface WatchOutbox {
  /**
   * What to send next in a channel: cards that are not there yet, oldest first; then those that are behind, then threads. In
   * milliseconds, when there will be something; undefined when nothing is behind, or its watches are paused.
   */
  next(workspaceId: string, channelId: string): Promise<Untold | { waitMs: number } | undefined>
  /** Takes the channel's and the workspace's turn to send one message, by Slack's limits; else says how long to wait. */
  turn(workspaceId: string, channelId: string, method: SlackMethod): Promise<number>
  /** Slack has asked for a pause of this method, in this workspace. */
  holdBack(workspaceId: string, method: SlackMethod, ms: number): Promise<void>
  /** The message stands in Slack as of this version. */
  sent(untold: Untold, ts: string): Promise<void>
  /** The message no longer exists: it will be posted again. */
  lost(untold: Untold): Promise<void>
  /** Nothing more is sent of what the channel was behind with. Returns how many cards that were. */
  giveUp(workspaceId: string, channelId: string): Promise<number>
  /** How many cards of a channel are behind. */
  behind(workspaceId: string, channelId: string): Promise<number>
}

const INTERVAL_MS = 1000

/** What of `watch_card` is to be sent, and what was. */
export function watchOutbox(database: Database, time: DatabaseTime): WatchOutbox {
  const { rows, relaxed, inTurn, kind } = database
  /** After a power cut a message may be sent a little early: that is not worth waiting for the disk. */
  const paced: Database['inTurn'] = (name, work) =>
    kind === 'sqlite' ? relaxed((own) => own.transaction().execute(work)) : inTurn(name, work)
  const untoldOf = (workspaceId: string, channelId: string) =>
    rows
      .selectFrom('watch_card')
      .where('workspace_id', '=', workspaceId)
      .where('channel_id', '=', channelId)
      .where(sql<boolean>`(shown_version < version or details_version < version)`)

  return {
    async next(workspaceId, channelId) {
      if (await isPaused(rows, workspaceId, channelId)) return undefined
      const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
      const since = new Date(new Date(now).getTime() - FLAPPING_EDIT_MS).toISOString()
      const row = await untoldOf(workspaceId, channelId)
        .selectAll()
        // Of a flapping card that was shown a moment ago nothing is sent yet.
        .where(sql<boolean>`not (ts is not null and kind = 'flapping' and closed_at is null and
          shown_kind is not null and shown_kind = 'flapping' and shown_at > ${since})`)
        .orderBy(sql`case when ts is null then 0 when shown_version < version then 1 else 2 end`)
        .orderBy('changed_at')
        .limit(1)
        .executeTakeFirst()
      if (row) return await untold(rows, row, new Date(now))
      const held = await untoldOf(workspaceId, channelId)
        .select((card) => card.fn.min('shown_at').as('shown'))
        .executeTakeFirst()
      if (!held?.shown) return undefined
      const freeAt = new Date(held.shown).getTime() + FLAPPING_EDIT_MS
      return { waitMs: Math.max(INTERVAL_MS, freeAt - new Date(now).getTime()) }
    },

    turn: (workspaceId, channelId, method) =>
      paced(`pace of ${workspaceId}`, (transaction) =>
        takeTurn(transaction, time, { workspaceId, channelId, method }),
      ),

    holdBack: (workspaceId, method, ms) => holdBack(rows, time, workspaceId, method, ms),

    async sent({ told: { card }, version, what }, ts) {
      const reached =
        what === 'card'
          ? { ts, shown_version: version, shown_kind: card.kind as CardKind, shown_at: time() }
          : { details_version: version, ...(ts !== '' && { details_ts: ts }) }
      // The sooner it is written, the fewer are sent twice by a process that is killed; a power cut is rarer.
      await relaxed((own) => own.updateTable('watch_card').set(reached).where('id', '=', card.id).execute())
    },

    async lost({ told: { card }, what }) {
      await rows
        .updateTable('watch_card')
        // Without its card the reply of a thread is nowhere either.
        .set(what === 'card' ? { ts: null, shown_version: 0, details_ts: null } : { details_ts: null })
        .where('id', '=', card.id)
        .execute()
    },

    async giveUp(workspaceId, channelId) {
      const { numUpdatedRows } = await rows
        .updateTable('watch_card')
        .set((card) => ({ shown_version: card.ref('version'), details_version: card.ref('version') }))
        .where('workspace_id', '=', workspaceId)
        .where('channel_id', '=', channelId)
        .where(sql<boolean>`(shown_version < version or details_version < version)`)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },

    async behind(workspaceId, channelId) {
      const { many } = await untoldOf(workspaceId, channelId)
        .where(sql<boolean>`shown_version < version`)
        .select((card) => card.fn.countAll().as('many'))
        .executeTakeFirstOrThrow()
      return Number(many)
    },
  }
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

async function untold(rows: Kysely<Schema>, row: WatchCardRow, now: Date): Promise<Untold> {
  const mutes = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where('workspace_id', '=', row.workspace_id)
    .where('channel_id', '=', row.channel_id)
    .where('environment', '=', row.environment)
    .execute()
  const what = row.ts === null || row.shown_version < row.version ? 'card' : 'details'
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
    editTs: (what === 'card' ? row.ts : row.details_ts) ?? undefined,
    mutes: mutes.map(muteFrom),
    now,
  }
}
