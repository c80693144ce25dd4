import { isDirect } from '@signalman/slack'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatShares } from '../rows/shares.ts'
import { createTakeSuggestion } from '../views/case-words.ts'

/** Whether taking an event posts in a channel: the one with its card, or else the one that the person is in. */
export async function isTakeAnnounced(
  shares: Pick<ThreatShares, 'findNewest'>,
  { workspaceId, environment, channelId }: Pick<Requester, 'workspaceId' | 'environment' | 'channelId'>,
  eventId: string,
): Promise<boolean> {
  if (channelId !== undefined && !isDirect(channelId)) return true
  return (await shares.findNewest({ workspaceId, environment, eventId })) !== undefined
}

/** The button that takes an event. It says if that is announced. */
export const suggestTake = async (
  shares: Pick<ThreatShares, 'findNewest'>,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'channelId'>,
  eventId: string,
) => createTakeSuggestion(eventId, await isTakeAnnounced(shares, context, eventId))
