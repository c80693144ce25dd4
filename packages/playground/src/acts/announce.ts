import type { Stored } from '../messages.ts'
import { botOf, familyOf } from '../people.ts'
import type { Channel, Fields, Outcome } from '../protocol.ts'
import { messageFields, type Slack } from '../slack.ts'
import { type EventParts, raiseEvent } from './event.ts'
import type { EventName } from './event-names.ts'

/** The event that an app subscribes to in order to read along. */
const MESSAGES = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
} as const

/** Where something happened, and who did it. */
interface Doing {
  channel: string
  user: string
}

const isHeard = ({ members, teamId }: Channel): boolean => members.includes(botOf(teamId).userId)

/** Tells the app what happened in a channel that its bot is in, by the name that it subscribes to. */
export async function announceIn(
  slack: EventParts,
  name: EventName,
  at: Doing,
  event: Fields,
): Promise<Outcome> {
  const channel = slack.people.channel(at.channel)
  if (!channel || !isHeard(channel)) return { ok: true, deliveryId: null, seq: slack.log.seq }
  return raiseEvent(slack, name, at.user, event, channel)
}

/** The event `message`, under the name for the kind of channel. */
export async function announceMessage(slack: EventParts, at: Doing, message: Fields): Promise<Outcome> {
  const channel = slack.people.channel(at.channel)
  const family = channel ? familyOf(channel) : 'channel'
  return announceIn(slack, MESSAGES[family], at, {
    ...message,
    channel: at.channel,
    channel_type: family,
    event_ts: message.ts ?? slack.messages.nextTs(),
  })
}

/** A message that someone changed or deleted, with its former version: hidden, with a ts of its own. */
export const announceChange = (
  slack: EventParts & Pick<Slack, 'files'>,
  message: Stored,
  before: Fields,
): Promise<Outcome> =>
  announceMessage(slack, message, {
    type: 'message',
    ...(message.deleted
      ? { subtype: 'message_deleted', deleted_ts: message.ts }
      : { subtype: 'message_changed', message: messageFields(slack, message) }),
    previous_message: before,
    hidden: true,
    ts: slack.messages.nextTs(),
  })
