import { anewAfter, type HeldWork, type WorkEnd } from '@signalman/durable'
import { type EditParts, editMessage } from '../../../bot/posts/kept-messages.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { ThreatShares } from '../rows/shares.ts'
import { caseCardView } from './views/thread.ts'

export interface CardParts extends EditParts {
  threatShares: Pick<ThreatShares, 'behind' | 'shown' | 'gone'>
}

/**
 * Brings one more card of the case's event up to date, in another channel than the one that is told of it; undefined where none is
 * behind. A card that takes no edits any more is let go of: nobody there was promised anything.
 */
export async function tellCard(
  parts: CardParts,
  held: Pick<HeldWork, 'work' | 'owner' | 'signal'>,
  found: ThreatCase,
): Promise<WorkEnd | undefined> {
  const { threatShares } = parts
  const { workspaceId, enterpriseId, environment, version, place } = found
  const card = await threatShares.behind(found, version, place?.messageTs)
  if (!card) return undefined
  const { channelId, messageTs: ts } = card
  const came = await editMessage(parts, held, {
    place: { workspaceId, enterpriseId, environment, channelId },
    at: { channelId, ts },
    drawn: caseCardView(found),
    edited: () => threatShares.shown(found, card, version),
  })
  if (came.kind === 'later') return came.end
  if (came.kind !== 'stands') await threatShares.gone(found, card)
  return anewAfter(0)
}
