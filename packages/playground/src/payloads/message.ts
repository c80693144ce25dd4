import type { Fields } from '../protocol/json.ts'
import { BROADCAST, slackMessage } from '../state/messages.ts'
import type { Pin, StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

/** A message's address on the web. For a reply, it names the thread too. */
export function messagePermalink(
  { url }: Pick<World, 'url'>,
  { channel, ts, threadTs }: Pick<StoredMessage, 'channel' | 'ts' | 'threadTs'>,
): string {
  const address = `${url()}/archives/${channel}/p${ts.replace('.', '')}`
  return threadTs === null || threadTs === ts ? address : `${address}?thread_ts=${threadTs}&cid=${channel}`
}

/** A message as in payloads and Web API responses, with complete file objects, and the root of a reply that is also in the channel. */
export function messageFields(
  world: Pick<World, 'files' | 'people' | 'messages'>,
  message: StoredMessage,
): Fields {
  const { files, people, messages } = world
  const root =
    message.subtype === BROADCAST ? messages.find(message.channel, message.threadTs ?? '') : undefined
  const channelTeamId = people.channel(message.channel)?.teamId ?? ''
  const teamId = (message.app ? undefined : people.find(message.user)?.teamId) ?? channelTeamId
  const attached = message.files.flatMap(({ id }) => {
    const file = files.find(id)
    return file ? [files.slackFile(file, teamId)] : []
  })
  const isFromBot = message.app && message.subtype !== 'bot_message'
  return {
    ...slackMessage(message, teamId),
    ...(isFromBot && { bot_profile: people.botProfile(channelTeamId) }),
    ...(attached.length > 0 && { files: attached }),
    ...(root && { root: messageFields(world, root) }),
  }
}

/** A message as an item that people react to or pin. */
export const messageItem = (
  world: Pick<World, 'files' | 'people' | 'messages' | 'url'>,
  message: StoredMessage,
): Fields => ({
  type: 'message',
  channel: message.channel,
  message: { ...messageFields(world, message), permalink: messagePermalink(world, message) },
})

/** A pinned message, with who pinned it and when (https://docs.slack.dev/reference/methods/pins.list, November 2026). */
export const pinnedItem = (
  world: Pick<World, 'files' | 'people' | 'messages' | 'url'>,
  message: StoredMessage,
  { by, at }: Pin,
): Fields => ({ ...messageItem(world, message), created: at, created_by: by })
