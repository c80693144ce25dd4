import type { EventName } from '../protocol/event-names.ts'
import type { Fields } from '../protocol/json.ts'
import { type ConversationType, conversationType } from '../protocol/people.ts'
import type { Channel, Outcome } from '../protocol/protocol.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'
import type { AppLink } from './app-link.ts'
import { sendEvent, sendMessageEvent } from './events.ts'

interface ChangeDetails {
  /** Who invited a new member. */
  inviter?: string
}

interface ChannelChange {
  /** The event that the app gets in addition to the `message` event, by conversation type. For omitted types, there is none. */
  events: Partial<Record<ConversationType, EventName>>
  event(channel: Channel, user: string): Fields
  /** The subtype of the message posted in the channel. */
  subtype: string
  /** The message's text after the author's name. */
  text(details: ChangeDetails): string
  /** Additional fields of the message. */
  fields?(details: ChangeDetails): Fields
}

const sameEventEverywhere = (name: EventName) => ({ channel: name, group: name, mpim: name })
const inviterField = ({ inviter }: ChangeDetails): Fields => (inviter === undefined ? {} : { inviter })
const memberEvent = ({ id, teamId, ...channel }: Channel, user: string): Fields => ({
  user,
  channel: id,
  channel_type: conversationType(channel) === 'channel' ? 'C' : 'G',
  team: teamId,
})

/**
 * The changes to a channel that post a message and send an event. They can be made on the page, by a test, or through the Web API.
 * (https://docs.slack.dev/reference/events, by the names below; subtypes: https://docs.slack.dev/reference/events/message;
 * November 2026. Unknown: whether messages in private channels still have the older subtypes `group_…`.)
 */
const CHANNEL_CHANGES = {
  join: {
    events: sameEventEverywhere('member_joined_channel'),
    event: memberEvent,
    subtype: 'channel_join',
    text: () => 'has joined the channel',
    fields: inviterField,
  },
  leave: {
    events: sameEventEverywhere('member_left_channel'),
    event: memberEvent,
    subtype: 'channel_leave',
    text: () => 'has left the channel',
  },
} satisfies Record<string, ChannelChange>

/** Posts a message about the change in the channel. If the app can see the change, also sends it the matching event. */
export async function announceChannelChange(
  world: World,
  link: AppLink,
  kind: keyof typeof CHANNEL_CHANGES,
  { channel, user, ...details }: { channel: Channel; user: string } & ChangeDetails,
): Promise<Outcome> {
  const { log, messages } = world
  const seq = log.seq
  const change: ChannelChange = CHANNEL_CHANGES[kind]
  const channelType = conversationType(channel)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  const message = {
    text: `<@${user}> ${change.text(details)}`,
    subtype: change.subtype,
    subtypeDetails: change.fields?.(details) ?? {},
  }
  const { ts, text, subtype } = messages.post({ channel: channel.id, user, app: false, ...message })
  void sendMessageEvent(
    world,
    link,
    { channel: channel.id, user },
    {
      type: 'message',
      subtype: subtype ?? '',
      user,
      team: channel.teamId,
      text,
      ts,
      ...message.subtypeDetails,
    },
  )
  const name = change.events[channelType]
  const isBotMember = channel.members.includes(appBotIn(channel.teamId).userId)
  if (name === undefined || !isBotMember) return { ok: true, deliveryId: null, seq }
  const event = { ...change.event(channel, user), ...(kind === 'join' && inviterField(details)) }
  const outcome = await sendEvent(world, link, name, user, event, channel)
  return { ...outcome, seq }
}
