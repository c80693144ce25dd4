import { sendMention, sendMessageChange } from '../delivery/channel-events.ts'
import { messageFields } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { escapeTyped } from '../rules/values/escape-typed.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { BROADCAST } from '../state/messages.ts'
import { activeTeamId } from '../state/people.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { Slack } from '../state/world.ts'

/** Finds the person's own message. Throws ActionError for other people's messages. */
function findOwnMessage(slack: Slack, { user, channel, ts }: PostBody<'delete'>): StoredMessage {
  const person = findActor(slack, user)
  const { id, name } = findOwnChannel(slack, person, channel)
  const message = slack.messages.find(id, ts)
  if (!message || message.ephemeral)
    throw new ActionError('message_not_found', `There is no message ${ts} in ${name}.`)
  // A message such as "has joined the channel" has the person as its author, but they can't change it.
  if (message.user !== person.id || (message.subtype !== undefined && message.subtype !== BROADCAST))
    throw new ActionError('cant_update_message', `${person.name} didn't write message ${ts}.`)
  return message
}

/** A person edits their own message: sends `message_changed` and, if it mentions the app, `app_mention` again. */
export async function editMessage(slack: Slack, post: PostBody<'edit'>): Promise<Outcome> {
  const message = findOwnMessage(slack, post)
  const person = findActor(slack, post.user)
  const text = escapeTyped(post.text, slack.people.visibleIn(activeTeamId(person)))
  if (text.trim() === '') throw new ActionError('no_text', 'Write something, or delete the message.')
  const previousFields = messageFields(slack, message)
  const seq = slack.log.seq
  if (text === message.text) return { ok: true, deliveryId: null, seq, ts: message.ts }
  slack.messages.change(message, { text, edited: true })
  const changed = await sendMessageChange(slack, message, previousFields)
  const outcome = (await sendMention(slack, message, messageFields(slack, message))) ?? changed
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/** A person deletes their own message: sends `message_deleted`, or `message_changed` if a tombstone stays. */
export async function deleteMessage(slack: Slack, post: PostBody<'delete'>): Promise<Outcome> {
  const message = findOwnMessage(slack, post)
  const previousFields = messageFields(slack, message)
  const seq = slack.log.seq
  slack.messages.remove(message)
  const outcome = await sendMessageChange(slack, message, previousFields)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
