import type { CardKind } from '../../domain/watching/card.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Untold } from './untold.ts'

/** What became of something that was sent. */
export interface PostOutcomes {
  /** The message stands in Slack as of this version. */
  sent(untold: Untold, ts: string): Promise<void>
  /** What was posted without an outcome is there: from now on it is edited. */
  found(untold: Untold, ts: string): Promise<void>
  /** It certainly was not posted. */
  notSent(untold: Untold): Promise<void>
  /** Slack takes it in no form: it counts as told, up to this version. */
  untellable(untold: Untold): Promise<void>
  /** It cannot be told yet whether it was posted. */
  lookLater(untold: Untold, ms: number): Promise<void>
  /** The message no longer exists: it will be posted again. */
  lost(untold: Untold): Promise<void>
}

/** Of a post whose outcome is known. */
export const SETTLED = { attempted_at: null, look_at: null } as const

export function postOutcomes({ rows, relaxed }: Database, time: DatabaseTime): PostOutcomes {
  const updateCard = ({ told }: Untold) => rows.updateTable('watch_card').where('id', '=', told.card.id)
  return {
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

    async untellable(untold) {
      const { version, what, ts, editTs } = untold
      await updateCard(untold)
        .set({
          ...(what === 'card' && { shown_version: version }),
          // Without its card there is no thread to reply in.
          ...((what === 'details' || ts === undefined) && { details_version: version }),
          ...(editTs === undefined && SETTLED),
        })
        .execute()
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
  }
}
