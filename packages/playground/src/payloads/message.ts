import type { Fields } from '../protocol/json.ts'
import { slackMessage } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

/** A message as in payloads and Web API responses, with complete file objects. */
export function messageFields(
  { files, people }: Pick<World, 'files' | 'people'>,
  message: StoredMessage,
): Fields {
  const channelTeamId = people.channel(message.channel)?.teamId ?? ''
  const teamId = (message.app ? undefined : people.find(message.user)?.teamId) ?? channelTeamId
  const attached = message.files.flatMap(({ id }) => {
    const file = files.find(id)
    return file ? [files.slackFile(file, teamId)] : []
  })
  return {
    ...slackMessage(message, teamId),
    ...(attached.length > 0 && { files: attached }),
  }
}
