import type { AppLink } from '../delivery/app-link.ts'
import { sendMention, sendMessageEvent } from '../delivery/events.ts'
import { messageFields } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { readTyped } from '../state/typed.ts'
import type { World } from '../state/world.ts'

/**
 * A person posts a message. If the app's bot is in the conversation, sends the `message` event, and `app_mention` if the message
 * mentions the bot.
 */
export async function postMessage(world: World, link: AppLink, post: PostBody<'message'>): Promise<Outcome> {
  const { messages, files, log } = world
  const person = findActor(world, post.user)
  const channel = findOwnChannel(world, person, post.channel)
  const attachedFiles = (post.files ?? []).map((id) => {
    const file = files.find(id)
    if (!file) throw new ActionError('file_not_found', `There is no uploaded file ${id}.`)
    return file
  })
  const text = readTyped(world, person, post.text)
  if (text.trim() === '' && attachedFiles.length === 0)
    throw new ActionError('no_text', 'A message needs text or a file.')
  const threadTs = post.threadTs ?? null
  const parent = threadTs === null ? undefined : messages.find(channel.id, threadTs)
  if (threadTs !== null && (!parent || parent.ephemeral))
    throw new ActionError(
      'thread_not_found',
      `There is no message ${threadTs} in ${channel.name} to reply to.`,
    )
  for (const file of attachedFiles) {
    file.channels.push(channel.id)
  }
  const seq = log.seq
  const message = messages.post({
    channel: channel.id,
    user: person.id,
    app: false,
    text,
    files: attachedFiles.map(({ info }) => info),
    threadTs,
  })
  const fields = messageFields(world, message)
  const posted = await sendMessageEvent(world, link, message, fields)
  const outcome = (await sendMention(world, link, message, fields)) ?? posted
  return outcome.ok ? { ...outcome, seq, ts: message.ts } : { ...outcome, seq }
}
