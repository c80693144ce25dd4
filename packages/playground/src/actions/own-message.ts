import type { AppLink } from '../delivery/app-link.ts'
import { sendMention, sendMessageChange } from '../delivery/events.ts'
import { messageFields } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import type { StoredMessage } from '../state/stored.ts'
import { readTyped } from '../state/typed.ts'
import type { World } from '../state/world.ts'

/** Finds the person's own message. Throws ActionError for other people's messages. */
function findOwnMessage(world: World, { user, channel, ts }: PostBody<'edit'>): StoredMessage {
  const person = findActor(world, user)
  const { id, name } = findOwnChannel(world, person, channel)
  const message = world.messages.find(id, ts)
  if (!message || message.ephemeral)
    throw new ActionError('message_not_found', `There is no message ${ts} in ${name}.`)
  // A message such as "has joined the channel" has the person as its author, but they can't change it.
  if (message.user !== person.id || message.subtype !== undefined)
    throw new ActionError('cant_update_message', `${person.name} didn't write message ${ts}.`)
  return message
}

/** A person edits their own message: sends `message_changed` and, if it mentions the app, `app_mention` again. */
export async function editMessage(world: World, link: AppLink, post: PostBody<'edit'>): Promise<Outcome> {
  const message = findOwnMessage(world, post)
  const person = findActor(world, post.user)
  const text = readTyped(world, person, post.text)
  if (text.trim() === '') throw new ActionError('no_text', 'Write something.')
  const previousFields = messageFields(world, message)
  const seq = world.log.seq
  if (text === message.text) return { ok: true, deliveryId: null, seq, ts: message.ts }
  world.messages.change(message, { text, edited: true })
  const changed = await sendMessageChange(world, link, message, previousFields)
  const outcome = (await sendMention(world, link, message, messageFields(world, message))) ?? changed
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
