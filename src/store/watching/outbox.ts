import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { holdBack, type SlackMethod, takeTurn } from './pace.ts'
import { type PostOutcomes, postOutcomes, SETTLED } from './post-outcomes.ts'
import { nextUntold, type Untold, untoldRows } from './untold.ts'

export interface WatchOutbox extends PostOutcomes {
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
  /** Nothing more is sent of what the channel was behind with. Returns how many cards that were. */
  giveUp(workspaceId: string, channelId: string): Promise<number>
  /** How many cards of a channel are behind. */
  behind(workspaceId: string, channelId: string): Promise<number>
}

/** What of `watch_card` is to be sent, and what was. */
export function watchOutbox(database: Database, time: DatabaseTime): WatchOutbox {
  const { rows, relaxed, inTurn, kind } = database
  /** After a power cut a message may be edited a little early: that is not worth waiting for the disk. */
  const paced: Database['inTurn'] = (name, work) =>
    kind === 'sqlite' ? relaxed((own) => own.transaction().execute(work)) : inTurn(name, work)

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

    ...postOutcomes(database, time),

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
