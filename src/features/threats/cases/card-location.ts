import type { Settings } from '@signalman/durable'
import { isDirect, wasRejected } from '@signalman/slack'
import { ALLOWED_SHARED_CHANNELS } from '../../../bot/posts/may-post.ts'
import type { Messaging, Requester } from '../../../bot/routes/command-context.ts'
import type { EventKey } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'
import type { CardLocation } from '../rules/threat-case.ts'
import type { NoCardReason } from '../views/case-words.ts'

export interface CardPlaceDeps {
  threatShares: Pick<ThreatShares, 'findNewest'>
  settings: Pick<Settings, 'get'>
}

/** Where the card of a case can be posted, or why it can't. */
export type CardChoice = { readonly card: CardLocation } | { readonly noCardReason: NoCardReason }

/** Chooses the newest shared card. If there is none, chooses this channel if the app can post there. */
export async function chooseCardLocation(
  deps: CardPlaceDeps,
  context: Requester & Messaging,
  event: EventKey,
): Promise<CardChoice> {
  const shared = await deps.threatShares.findNewest(event)
  if (shared) return { card: shared }
  const { channelId } = context
  // Nobody else can read a DM with the app.
  if (!channelId || isDirect(channelId)) return { noCardReason: 'private' }
  const noCardReason = await explainClosed(deps, context, channelId)
  return noCardReason ? { noCardReason } : { card: { channelId } }
}

/**
 * Whether a step of the event's case is known to be posted in a channel. A channel of which Slack says nothing, or where the app
 * can't post, isn't promised.
 */
export async function isAnnounced(
  deps: CardPlaceDeps,
  context: Requester & Messaging,
  event: EventKey,
): Promise<boolean> {
  const choice = await chooseCardLocation(deps, context, event)
  if (!('card' in choice)) return false
  const { channelId, messageTs } = choice.card
  // Without a message, the channel was just read.
  return messageTs === undefined || (await explainClosed(deps, context, channelId)) === undefined
}

/** Why the app can't post a card in a channel. Undefined if it can. */
async function explainClosed(
  { settings }: Pick<CardPlaceDeps, 'settings'>,
  context: Requester & Messaging,
  channelId: string,
): Promise<NoCardReason | undefined> {
  try {
    const channel = await (await context.slack()).readChannel(channelId)
    if (channel.isArchived) return 'archived'
    if (!channel.isMember) return 'not-in-channel'
    if (channel.isReadOnly) return 'read-only'
    if (!channel.isSharedOutside) return undefined
    const allowedChannels = await settings.get(context.workspaceId, ALLOWED_SHARED_CHANNELS)
    return allowedChannels.includes(channelId) ? undefined : 'shared-outside'
  } catch (error) {
    return wasRejected(error) ? 'not-in-channel' : 'unknown-channel'
  }
}
