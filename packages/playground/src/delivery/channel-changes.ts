import type { Channel, Outcome } from '../protocol/protocol.ts'
import type { World } from '../state/world.ts'
import type { AppLink } from './app-link.ts'
import { sendChannelEvent } from './events.ts'

const TEXTS = { channel_join: 'has joined the channel', channel_leave: 'has left the channel' } as const

/**
 * Posts a message about a change of a channel's members. If somebody joined a channel that the app is in, also sends the app the event
 * (https://docs.slack.dev/reference/events/member_joined_channel, November 2026).
 */
export async function announceChannelChange(
  { log, messages, ...world }: World,
  link: AppLink,
  subtype: keyof typeof TEXTS,
  channel: Channel,
  user: string,
): Promise<Outcome> {
  const { seq } = log
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  messages.post({ channel: channel.id, user, app: false, text: `<@${user}> ${TEXTS[subtype]}`, subtype })
  if (subtype === 'channel_leave') return { ok: true, deliveryId: null, seq }
  const event = { user, channel: channel.id, channel_type: 'C', team: channel.teamId }
  const origin = { channel: channel.id, user }
  const outcome = await sendChannelEvent(
    { log, messages, ...world },
    link,
    'member_joined_channel',
    origin,
    event,
  )
  return { ...outcome, seq }
}
