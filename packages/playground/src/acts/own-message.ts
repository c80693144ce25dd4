import type { Stored } from '../messages.ts'
import { seatOf } from '../people.ts'
import type { Outcome, Post } from '../protocol.ts'
import { actor, channelOf, messageFields, Refused, type Slack } from '../slack.ts'
import { escapeTyped } from '../typed.ts'
import { announceChange } from './announce.ts'

/** The person's own message: nobody can change someone else's. */
function ownMessage(slack: Slack, { user, channel, ts }: Post<'delete'>): Stored {
  const person = actor(slack, user)
  const { id, name } = channelOf(slack, person, channel)
  const message = slack.messages.find(id, ts)
  if (!message || message.ephemeral)
    throw new Refused('message_not_found', `There is no message ${ts} in ${name}.`)
  // Slack's own lines about the channel have the person's name on them, but can't be changed by them.
  if (message.user !== person.id || message.subtype !== undefined)
    throw new Refused('cant_update_message', `${person.name} did not write the message ${ts}.`)
  return message
}

/** A person changes the text of their own message: `message_changed`. */
export async function editMessage(slack: Slack, post: Post<'edit'>): Promise<Outcome> {
  const message = ownMessage(slack, post)
  const person = actor(slack, post.user)
  const text = escapeTyped(post.text, slack.people.of(seatOf(person)))
  if (text.trim() === '') throw new Refused('no_text', 'Write something, or delete the message.')
  const before = messageFields(slack, message)
  const seq = slack.log.seq
  if (text === message.text) return { ok: true, deliveryId: null, seq, ts: message.ts }
  slack.messages.change(message, { text, edited: true })
  const outcome = await announceChange(slack, message, before)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/** A person deletes their own message: `message_deleted`. */
export async function deleteMessage(slack: Slack, post: Post<'delete'>): Promise<Outcome> {
  const message = ownMessage(slack, post)
  const before = messageFields(slack, message)
  const seq = slack.log.seq
  slack.messages.remove(message)
  const outcome = await announceChange(slack, message, before)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
