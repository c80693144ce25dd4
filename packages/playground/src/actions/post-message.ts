import { sendLinkEvents } from '../changes/links.ts'
import { sendChannelEvent, sendMention, sendMessageEvent } from '../delivery/channel-events.ts'
import { messageFields } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { escapeTyped } from '../rules/values/escape-typed.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { BROADCAST } from '../state/messages.ts'
import { activeTeamId, conversationType } from '../state/people.ts'
import type { Slack } from '../state/world.ts'

/**
 * A person posts a message. If the app's bot is in the conversation, sends the `message` event, and `app_mention` if the message
 * mentions the bot.
 */
export async function postMessage(slack: Slack, post: PostBody<'message'>): Promise<Outcome> {
  const { people, messages, files, log } = slack
  const person = findActor(slack, post.user)
  const channel = findOwnChannel(slack, person, post.channel)
  const attachedFiles = (post.files ?? []).map((id) => {
    const file = files.find(id)
    if (!file) throw new ActionError('file_not_found', `There is no uploaded file ${id}.`)
    return file
  })
  const text = escapeTyped(post.text, people.visibleIn(activeTeamId(person)))
  if (text.trim() === '' && attachedFiles.length === 0)
    throw new ActionError('no_text', 'A message needs text or a file.')
  if (channel.archived) throw new ActionError('is_archived', `#${channel.name} is archived.`)
  const threadTs = post.threadTs ?? null
  const parent = threadTs === null ? undefined : messages.find(channel.id, threadTs)
  if (threadTs !== null && (!parent || parent.ephemeral))
    throw new ActionError(
      'thread_not_found',
      `There is no message ${threadTs} in ${channel.name} to reply to.`,
    )
  for (const file of attachedFiles) {
    file.channels.push(channel.id)
    files.save(file)
  }
  const seq = log.seq
  const message = messages.post({
    channel: channel.id,
    user: person.id,
    app: false,
    text,
    files: attachedFiles.map(({ info }) => info),
    threadTs,
    ...(threadTs !== null && post.broadcast && { subtype: BROADCAST }),
  })
  for (const { info } of attachedFiles) files.recordShare(info.id, message)
  const fields = messageFields(slack, message)
  const posted = await sendMessageEvent(slack, message, fields)
  const outcome = (await sendMention(slack, message, fields)) ?? posted
  void sendLinkEvents(slack, message)
  for (const { info } of attachedFiles)
    sendFileEvents(slack, { channel: channel.id, user: person.id }, info.id)
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}

/**
 * Sends the events for a shared file (https://docs.slack.dev/reference/events/file_shared, file_created and file_public, November
 * 2026).
 */
function sendFileEvents(slack: Slack, origin: { channel: string; user: string }, id: string): void {
  const channel = slack.people.channel(origin.channel)
  const isPublic = channel !== undefined && conversationType(channel) === 'channel'
  const file = { file_id: id, user_id: origin.user, file: { id } }
  void sendChannelEvent(slack, 'file_created', origin, file)
  void sendChannelEvent(slack, 'file_shared', origin, { channel_id: origin.channel, ...file })
  if (isPublic) void sendChannelEvent(slack, 'file_public', origin, file)
}
