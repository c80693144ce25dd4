import { escapeTyped } from '../escape-typed.ts'
import type { StoredMessage } from '../messages.ts'
import { activeTeamId } from '../people.ts'
import type { Outcome, PostBody } from '../protocol.ts'
import { findActor, findOwnChannel, messageFields, Refused, type Slack } from '../slack.ts'
import { sendMessageChange } from './channel-events.ts'

/** Finds the person's own message. Throws Refused for other people's messages. */
function findOwnMessage(slack: Slack, { user, channel, ts }: PostBody<'delete'>): StoredMessage {
  const person = findActor(slack, user)
  const { id, name } = findOwnChannel(slack, person, channel)
  const message = slack.messages.find(id, ts)
  if (!message || message.ephemeral)
    throw new Refused('message_not_found', `There is no message ${ts} in ${name}.`)
  // Slack's messages about the channel have the person as author, but the person can't change them.
  if (message.user !== person.id || message.subtype !== undefined)
    throw new Refused('cant_update_message', `${person.name} didn't write message ${ts}.`)
  return message
}

/** A person changes the text of their own message: `message_changed`. */
export async function editMessage(slack: Slack, post: PostBody<'edit'>): Promise<Outcome> {
  const message = findOwnMessage(slack, post)
  const person = findActor(slack, post.user)
  const text = escapeTyped(post.text, slack.people.visibleIn(activeTeamId(person)))
  if (text.trim() === '') throw new Refused('no_text', 'Write something, or delete the message.')
  const previousFields = messageFields(slack, message)
  const seq = slack.log.seq
  if (text === message.text) return { ok: true, deliveryId: null, seq, ts: message.ts }
  slack.messages.change(message, { text, edited: true })
  const outcome = await sendMessageChange(slack, message, previousFields)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/** A person deletes their own message: `message_deleted`. */
export async function deleteMessage(slack: Slack, post: PostBody<'delete'>): Promise<Outcome> {
  const message = findOwnMessage(slack, post)
  const previousFields = messageFields(slack, message)
  const seq = slack.log.seq
  slack.messages.remove(message)
  const outcome = await sendMessageChange(slack, message, previousFields)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
