import { isFields } from './json.ts'
import type { StoredMessage } from './messages.ts'
import { appBotIn } from './people.ts'
import type { Fields } from './protocol.ts'
import type { Slack } from './slack.ts'
import type { ResponseUrl } from './tickets.ts'
import { checkMessage, type Rejection } from './validation/message.ts'

type ReplyDeps = Pick<Slack, 'messages' | 'people' | 'levels'>

/**
 * Applies the message that an app sent to a `response_url` or in the body of its acknowledgement: posts it (ephemeral unless
 * `response_type` is `in_channel`), or replaces or deletes the original message. Returns the reason if it is rejected.
 */
export function applyReply(
  { messages, people, levels }: ReplyDeps,
  target: ResponseUrl,
  answer: Fields,
): Rejection | undefined {
  const original = target.original ? messages.find(target.channel, target.original) : undefined
  if (answer.delete_original === true) {
    if (!original) return { error: 'message_not_found', notes: ['There is no original message to delete.'] }
    messages.remove(original)
    return undefined
  }
  const checked = checkMessage(answer, { levels })
  if ('error' in checked) return checked
  const { text, blocks, attachments } = checked
  const replaces = answer.replace_original === true && original !== undefined && original.app
  if (replaces) {
    messages.change(original, {
      text,
      blocks,
      attachments,
      warning: null,
      cause: target.cause,
      edited: !original.ephemeral,
    })
    return undefined
  }
  if (people.channel(target.channel)?.archived) return { error: 'is_archived', notes: [] }
  const content = { text, blocks, attachments, mrkdwn: answer.mrkdwn !== false }
  const teamId = people.channel(target.channel)?.teamId ?? ''
  postReply({ messages }, target, answer, { ...content, user: appBotIn(teamId).userId })
  return undefined
}

function postReply(
  { messages }: Pick<Slack, 'messages'>,
  target: ResponseUrl,
  answer: Fields,
  content: Pick<StoredMessage, 'text' | 'blocks' | 'attachments' | 'mrkdwn' | 'user'>,
): void {
  const threadTs = typeof answer.thread_ts === 'string' ? answer.thread_ts : target.threadTs
  messages.post({
    ...content,
    channel: target.channel,
    app: true,
    threadTs,
    readerId: answer.response_type === 'in_channel' ? null : target.user,
    cause: target.cause,
  })
}

/** Reads the message in an acknowledgement's body: a JSON object, or plain text as `text`. Returns undefined if there is none. */
export function toAckMessage(contentType: string, text: string, parsed: unknown): Fields | undefined {
  if (text.trim() === '') return undefined
  if (!contentType.includes('json')) return { text }
  if (!isFields(parsed)) return typeof parsed === 'string' && parsed !== '' ? { text: parsed } : undefined
  return Object.keys(parsed).length > 0 ? parsed : undefined
}
