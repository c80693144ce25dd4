import type { Stored } from '../messages.ts'
import { botOf, familyOf } from '../people.ts'
import type { Channel, Fields, Outcome } from '../protocol.ts'
import { messageFields, type Slack } from '../slack.ts'
import { type EventParts, raiseEvent } from './event.ts'
import type { EventName } from './event-names.ts'

/** What an app subscribes to, to read along. */
const MESSAGES = {
  channel: 'message.channels',
  group: 'message.groups',
  mpim: 'message.mpim',
  im: 'message.im',
} as const

/** Where something is done, and by whom. */
interface Doing {
  channel: string
  user: string
}

const isHeard = ({ members, teamId }: Channel): boolean => members.includes(botOf(teamId).userId)

/** Tells the app, when its bot is in the channel, what has happened there; by the name that it subscribes to. */
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

/** The event `message` under the name of the kind of channel that it is in. */
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

/** A message that somebody changed or deleted, with what it was before: hidden, with a ts of its own. */
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
