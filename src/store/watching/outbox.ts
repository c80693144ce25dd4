import { sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { holdBack, type SlackMethod, takeTurn } from './pace.ts'
import { type PostOutcomes, postOutcomes, SETTLED } from './post-outcomes.ts'
import { nextUntold, type Untold, untoldRows } from './untold.ts'

export interface WatchOutbox extends PostOutcomes {
  /**
   * The next message for a channel: first cards that are not posted yet, oldest first; then cards to edit; then threads. Or
   * how long until there is one; undefined when nothing is behind, or the channel's watches are paused.
   */
  next(workspaceId: string, channelId: string): Promise<Untold | { waitMs: number } | undefined>
  /**
   * Takes a turn by Slack's limits, of the channel and the workspace; returns how many ms to wait, or 0 to send now. The
   * attempt is on disk before this returns, so a post of unknown outcome is looked for before it is repeated.
   */
  turn(untold: Untold): Promise<number>
  /** Slack has asked for a pause of this method, in this workspace. */
  holdBack(workspaceId: string, method: SlackMethod, ms: number): Promise<void>
  /** Drops all unsent messages of a channel. Returns how many cards they were about. */
  giveUp(workspaceId: string, channelId: string): Promise<number>
  /** How many cards of a channel are behind. */
  behind(workspaceId: string, channelId: string): Promise<number>
}

/** The rows of `watch_card`, as messages to send. */
export function watchOutbox(database: Database, time: DatabaseTime): WatchOutbox {
  const { rows, relaxed, inTurn, kind } = database
  /** An edit waits for no disk: after a power cut, at worst one comes a little early. */
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
          // Another process may have posted the message meanwhile.
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
