import type { CardKind } from '../../domain/watching/card.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Untold } from './untold.ts'

/** Records the outcome of a message that was sent. */
export interface PostOutcomes {
  /** Slack shows this version of the message. */
  sent(untold: Untold, ts: string): Promise<void>
  /** A post of unknown outcome was found, and is edited from now on. */
  found(untold: Untold, ts: string): Promise<void>
  /** The message was certainly not posted. */
  notSent(untold: Untold): Promise<void>
  /** Slack refuses the message in every form: it counts as shown, up to this version. */
  untellable(untold: Untold): Promise<void>
  /** It is not known yet whether the message was posted. */
  lookLater(untold: Untold, ms: number): Promise<void>
  /** The message no longer exists: it will be posted again. */
  lost(untold: Untold): Promise<void>
}

/** The columns of a post whose outcome is known. */
export const SETTLED = { attempted_at: null, look_at: null } as const

export function postOutcomes({ rows, relaxed }: Database, time: DatabaseTime): PostOutcomes {
  const updateCard = ({ told }: Untold) => rows.updateTable('watch_card').where('id', '=', told.card.id)
  return {
    async sent({ told: { card }, version, what, editTs }, ts) {
      const reached =
        what === 'card'
          ? { ts, shown_version: version, shown_kind: card.kind as CardKind, shown_at: time() }
          : { details_version: version, ...(ts !== '' && { details_ts: ts }) }
      // After a power cut that takes this back, the message is looked for and found.
      await relaxed((own) =>
        own
          .updateTable('watch_card')
          // While a card is edited, the outcome of the reply in its thread may still be unknown.
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
          // A card that is not posted has no thread for the reply.
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
        // The reply in a thread is lost with its card.
        .set({
          ...(untold.what === 'card' && { ts: null, shown_version: 0 }),
          details_ts: null,
          ...SETTLED,
        })
        .execute()
    },
  }
}
