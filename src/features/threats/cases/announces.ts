import { UserError } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { ShownCase } from '../views/case.ts'
import { createTakeSuggestion } from '../views/case-words.ts'

/** Whether taking an event posts in a channel: the one with its card, or else the one that the person is in. */
async function findTakeAnnounced(
  shares: Pick<ThreatShares, 'findNewest'>,
  { workspaceId, environment, channelId }: Pick<Requester, 'workspaceId' | 'environment' | 'channelId'>,
  eventId: string,
): Promise<boolean> {
  if (channelId !== undefined && !isDirect(channelId)) return true
  return (await shares.findNewest({ workspaceId, environment, eventId })) !== undefined
}

/** The case of an event as the person sees it now. */
export async function readShownCase(
  {
    threatCases,
    threatShares,
  }: { threatCases: Pick<ThreatCases, 'find'>; threatShares: Pick<ThreatShares, 'findNewest'> },
  context: Requester,
  eventId: string,
): Promise<ShownCase> {
  const { workspaceId, environment, userId: viewerId, now } = context
  const threatCase = await threatCases.find({ workspaceId, environment, eventId })
  const isTakeAnnounced = await findTakeAnnounced(threatShares, context, eventId)
  return { eventId, environment, threatCase, viewerId, now, isTakeAnnounced }
}

/** The button that takes an event. It says if that is announced. */
export const suggestTake = async (
  shares: Pick<ThreatShares, 'findNewest'>,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'channelId'>,
  eventId: string,
) => createTakeSuggestion(eventId, await findTakeAnnounced(shares, context, eventId))

/** The error for a step that only a case can have. `next`: what to do once the event is taken. */
export async function createNotTakenError(
  shares: Pick<ThreatShares, 'findNewest'>,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'channelId'>,
  eventId: string,
  next: string,
): Promise<UserError> {
  const place = context.environment === 'ote' ? ' in OTE' : ''
  return new UserError(`Nobody has taken this threat event${place} yet. Take it first, then ${next}.`, [
    await suggestTake(shares, context, eventId),
  ])
}
