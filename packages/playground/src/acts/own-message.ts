import type { Stored } from '../messages.ts'
import { botOf, seatOf } from '../people.ts'
import type { DeletePost, EditPost, Fields, Outcome } from '../protocol.ts'
import { actor, channelOf, messageFields, Refused, type Slack } from '../slack.ts'
import { escapeTyped } from '../typed.ts'
import { raiseEvent } from './event.ts'

/** The person's own message: nobody changes what another has written. */
function ownMessage(slack: Slack, { user, channel, ts }: DeletePost): Stored {
  const person = actor(slack, user)
  const { id, name } = channelOf(slack, person, channel)
  const message = slack.messages.find(id, ts)
  if (!message || message.ephemeral)
    throw new Refused('message_not_found', `There is no message ${ts} in ${name}.`)
  if (message.user !== person.id)
    throw new Refused('cant_update_message', `${person.name} did not write the message ${ts}.`)
  return message
}

/** Tells the app of a change to a message that it could read. (https://docs.slack.dev/reference/events/message, November 2026) */
async function announceChange(
  slack: Slack,
  user: string,
  channelId: string,
  change: Fields,
): Promise<Outcome> {
  const channel = slack.people.channel(channelId)
  const seq = slack.log.seq
  if (!channel?.members.includes(botOf(channel.teamId).userId)) return { ok: true, deliveryId: null, seq }
  const isDirect = channel.kind === 'dm'
  const ts = slack.messages.nextTs()
  return raiseEvent(slack, isDirect ? 'message.im' : 'message.channels', user, {
    type: 'message',
    ...change,
    hidden: true,
    channel: channelId,
    channel_type: isDirect ? 'im' : 'channel',
    ts,
    event_ts: ts,
  })
}

/** A person changes the text of their own message: `message_changed`. */
export async function editMessage(slack: Slack, post: EditPost): Promise<Outcome> {
  const message = ownMessage(slack, post)
  const person = actor(slack, post.user)
  const text = escapeTyped(post.text, slack.people.of(seatOf(person)))
  if (text.trim() === '') throw new Refused('no_text', 'Write something, or delete the message.')
  const before = messageFields(slack, message, seatOf(person))
  const seq = slack.log.seq
  if (text === message.text) return { ok: true, deliveryId: null, seq, ts: message.ts }
  slack.messages.change(message, { text, edited: true })
  const outcome = await announceChange(slack, person.id, message.channel, {
    subtype: 'message_changed',
    message: messageFields(slack, message, seatOf(person)),
    previous_message: before,
  })
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/** A person deletes their own message: `message_deleted`. */
export async function deleteMessage(slack: Slack, post: DeletePost): Promise<Outcome> {
  const message = ownMessage(slack, post)
  const person = actor(slack, post.user)
  const before = messageFields(slack, message, seatOf(person))
  const seq = slack.log.seq
  slack.messages.remove(message)
  const outcome = await announceChange(slack, person.id, message.channel, {
    subtype: 'message_deleted',
    deleted_ts: message.ts,
    previous_message: before,
  })
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
