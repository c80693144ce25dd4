import type { Fields } from '../protocol/json.ts'
import { BROADCAST, slackMessage } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

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
  return {
    ...slackMessage(message, teamId),
    ...(message.app && { bot_profile: people.botProfile(channelTeamId) }),
    ...(attached.length > 0 && { files: attached }),
    ...(root && { root: messageFields(world, root) }),
  }
}
