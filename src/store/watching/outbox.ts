import { sql } from 'kysely'
import type { CardKind } from '../../domain/watching/card.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { holdBack, type SlackMethod, takeTurn } from './pace.ts'
import { nextUntold, type Untold, untoldRows } from './untold.ts'

export interface WatchOutbox {
  /**
   * What to send next in a channel: cards that are not there yet, oldest first; then those that are behind, then threads. In
   * milliseconds, when there will be something; undefined when nothing is behind, or its watches are paused.
   */
  next(workspaceId: string, channelId: string): Promise<Untold | { waitMs: number } | undefined>
  /**
   * Takes the channel's and the workspace's turn to send it, by Slack's limits; else says how long to wait. That something is
   * about to be posted is on disk before this returns: a post of unknown outcome is looked for before it is repeated.
   */
  turn(untold: Untold): Promise<number>
  /** Slack has asked for a pause of this method, in this workspace. */
  holdBack(workspaceId: string, method: SlackMethod, ms: number): Promise<void>
  /** The message stands in Slack as of this version. */
  sent(untold: Untold, ts: string): Promise<void>
  /** What was posted without an outcome is there: from now on it is edited. */
  found(untold: Untold, ts: string): Promise<void>
  /** It certainly was not posted. */
  notSent(untold: Untold): Promise<void>
  /** It cannot be told yet whether it was posted. */
  lookLater(untold: Untold, ms: number): Promise<void>
  /** The message no longer exists: it will be posted again. */
  lost(untold: Untold): Promise<void>
  /** Nothing more is sent of what the channel was behind with. Returns how many cards that were. */
  giveUp(workspaceId: string, channelId: string): Promise<number>
  /** How many cards of a channel are behind. */
  behind(workspaceId: string, channelId: string): Promise<number>
}

const SETTLED = { attempted_at: null, look_at: null } as const

/** What of `watch_card` is to be sent, and what was. */
export function watchOutbox(database: Database, time: DatabaseTime): WatchOutbox {
  const { rows, relaxed, inTurn, kind } = database
  /** After a power cut a message may be edited a little early: that is not worth waiting for the disk. */
  const paced: Database['inTurn'] = (name, work) =>
    kind === 'sqlite' ? relaxed((own) => own.transaction().execute(work)) : inTurn(name, work)
  const updateCard = ({ told }: Untold) => rows.updateTable('watch_card').where('id', '=', told.card.id)

  return {
    next: (workspaceId, channelId) => nextUntold(rows, time, workspaceId, channelId),

    turn({ place: { workspaceId, channelId }, told, what, editTs }) {
      const name = `pace of ${workspaceId}`
      if (editTs !== undefined)
        return paced(name, (transaction) =>
          takeTurn(transaction, time, { workspaceId, channelId, method: 'edit' }),
        )
      return inTurn(name, async (transaction) => {
        const waitMs = await takeTurn(transaction, time, { workspaceId, channelId, method: 'post' })
        if (waitMs > 0) return waitMs
        await transaction
          .updateTable('watch_card')
          .set({ attempted_at: time(), look_at: null })
          .where('id', '=', told.card.id)
          // Another process may have posted it meanwhile.
          .where(what === 'card' ? 'ts' : 'details_ts', 'is', null)
          .execute()
        return 0
      })
    },

    holdBack: (workspaceId, method, ms) => holdBack(rows, time, workspaceId, method, ms),

    async sent({ told: { card }, version, what, editTs }, ts) {
      const reached =
        what === 'card'
          ? { ts, shown_version: version, shown_kind: card.kind as CardKind, shown_at: time() }
          : { details_version: version, ...(ts !== '' && { details_ts: ts }) }
      // Of what a power cut takes back, the message is found again.
      await relaxed((own) =>
        own
          .updateTable('watch_card')
          // While a card is edited, it may not be known yet whether there is a reply in its thread.
          .set({ ...reached, ...(editTs === undefined && SETTLED) })
          .where('id', '=', card.id)
          .execute(),
      )
    },

    async found(untold, ts) {
      const there = untold.what === 'card' ? { ts } : { details_ts: ts }
      await updateCard(untold)
        .set({ ...there, ...SETTLED })
        .execute()
    },

    async notSent(untold) {
      await updateCard(untold).set(SETTLED).execute()
    },

    async lookLater(untold, ms) {
      await updateCard(untold)
        .set({ look_at: time(ms) })
        .execute()
    },

    async lost(untold) {
      await updateCard(untold)
        // Without its card the reply of a thread is nowhere either.
        .set({
          ...(untold.what === 'card' && { ts: null, shown_version: 0 }),
          details_ts: null,
          ...SETTLED,
        })
        .execute()
    },

    async giveUp(workspaceId, channelId) {
      const { numUpdatedRows } = await rows
        .updateTable('watch_card')
        .set((card) => ({
          shown_version: card.ref('version'),
          details_version: card.ref('version'),
          ...SETTLED,
        }))
        .where('workspace_id', '=', workspaceId)
        .where('channel_id', '=', channelId)
        .where(sql<boolean>`(shown_version < version or details_version < version)`)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    },

    async behind(workspaceId, channelId) {
      const { many } = await untoldRows(rows, workspaceId, channelId)
        .where(sql<boolean>`shown_version < version`)
        .select((card) => card.fn.countAll().as('many'))
        .executeTakeFirstOrThrow()
      return Number(many)
    },
  }
}
