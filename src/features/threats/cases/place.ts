import type { Settings } from '@signalman/durable'
import { isDirect, saidNo } from '@signalman/slack'
import { OPEN_CHANNELS } from '../../../bot/posts/may-post.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { CardPlace } from '../rows/case-rows.ts'
import type { AskedEvent } from '../rows/cases.ts'
import type { ThreatShares } from '../rows/shares.ts'

/** Where the card of a case can be posted, or why it cannot. */
export type Placing =
  | { readonly place: CardPlace }
  | { readonly why: 'alone' | 'not-in-channel' | 'shared-outside' | 'unasked' }

/** Chooses the card that was shared, else a new one in this channel. Slack is asked before anything is posted. */
export async function placeFor(
  { shares, settings }: { shares: Pick<ThreatShares, 'find'>; settings: Pick<Settings, 'get'> },
  context: CommandContext,
  event: AskedEvent,
): Promise<Placing> {
  const shared = await shares.find(event)
  if (shared) return { place: shared }
  const { channelId } = context
  // Nobody else would read a direct message with the app.
  if (!channelId || isDirect(channelId)) return { why: 'alone' }
  try {
    const channel = await (await context.slack()).channelOf(channelId)
    if (!channel.isMember || channel.isArchived) return { why: 'not-in-channel' }
    if (!channel.isSharedOutside) return { place: { channelId } }
    const open = await settings.get(context.workspaceId, OPEN_CHANNELS)
    return open.includes(channelId) ? { place: { channelId } } : { why: 'shared-outside' }
  } catch (error) {
    return { why: saidNo(error) ? 'not-in-channel' : 'unasked' }
  }
}
