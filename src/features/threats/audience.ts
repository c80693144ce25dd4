import { setTimeout as pause } from 'node:timers/promises'
import { isDirect } from '@signalman/slack'
import { canSeePersonalData } from '../../bot/access/access.ts'
import type { CommandContext, PostPermission, Rights } from '../../bot/routes/command-context.ts'
import type { LoadedEvent, ShownEvent } from './rules/shown-event.ts'

/** Whether this person may see the page's texts and screenshots, and the cases. */
export const isMember = ({ actor }: Pick<Rights, 'actor'>): boolean => canSeePersonalData(actor)

export const eventForViewer = (
  context: Pick<Rights, 'actor'>,
  { forMembers, facts }: LoadedEvent,
): ShownEvent => (isMember(context) ? forMembers : facts)

/** Whether a message there can be the team's card of a case. Nobody else can read a DM with the app. */
export const isTeamChannel = (channelId: string | undefined): channelId is string =>
  channelId !== undefined && !isDirect(channelId)

/** How long a step waits for what Slack says about the channel. */
const MAX_WAIT_MS = 2000

/** Whether the team's card of a case may be posted here, or `unknown` if Slack doesn't say so in time. Undefined in a DM, which isn't a place for it. */
export async function findCardPermission({
  channelId,
  mayPost,
}: Pick<CommandContext, 'channelId' | 'mayPost'>): Promise<PostPermission | 'unknown' | undefined> {
  if (!isTeamChannel(channelId)) return undefined
  const late = pause(MAX_WAIT_MS, 'unknown' as const, { ref: false })
  return Promise.race([mayPost(channelId).catch(() => 'unknown' as const), late])
}
