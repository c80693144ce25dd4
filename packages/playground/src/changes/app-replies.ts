import type { Fields } from '../protocol/json.ts'
import { isFields, isTrue } from '../protocol/json.ts'
import { appBotIn } from '../state/people.ts'
import type { ResponseUrl } from '../state/tickets.ts'
import type { World } from '../state/world.ts'
import { checkMessage, type Rejection } from '../validation/message.ts'

type ReplyDeps = Pick<World, 'messages' | 'people'>

/**
 * Applies a message that the app sent to a `response_url` or in an acknowledgement: posts it (ephemeral unless `response_type` is
 * `in_channel`), or replaces the original message. If the message is rejected, returns the reason.
 */
export function applyReply(world: ReplyDeps, target: ResponseUrl, reply: Fields): Rejection | undefined {
  const { messages, people } = world
  const original = target.original ? messages.find(target.channel, target.original) : undefined
  const teamId = people.channel(target.channel)?.teamId ?? ''
  const checked = checkMessage(reply)
  if ('error' in checked) return checked
  const { text, blocks } = checked
  const replaces = isTrue(reply.replace_original) && original?.app
  if (replaces) {
    messages.change(original, {
      text,
      blocks,
      warning: null,
      cause: target.cause,
      edited: !original.ephemeral,
    })
    return undefined
  }
  messages.post({
    text,
    blocks,
    user: appBotIn(teamId).userId,
    threadTs: target.threadTs,
    channel: target.channel,
    app: true,
    readerId: reply.response_type === 'in_channel' ? null : target.user,
    cause: target.cause,
  })
  return undefined
}

/** Returns the message in an acknowledgement's body, if any: a JSON object, or `{text}` for plain text. */
export function toAckMessage(contentType: string, text: string, parsed: unknown): Fields | undefined {
  if (text.trim() === '') return undefined
  if (!contentType.includes('json')) return { text }
  return isFields(parsed) && Object.keys(parsed).length > 0 ? parsed : undefined
}
