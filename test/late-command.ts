import type { User } from '@signalman/playground/driver'
import { createRequests, createSender } from './bot/access/requests.ts'
import { SIGNING_SECRET, WORKSPACE, type World } from './world.ts'

/**
 * Deactivates a person's account before a command that they typed reaches the app, and returns the app's answer. Slack doesn't let
 * deactivated people act, so only a late or repeated request can reach the app.
 */
export async function commandBeforeDeactivation(world: World, person: User, line: string): Promise<string> {
  await person.command('/hc', 'help')
  const earlier = (await world.slack.deliveries('command')).at(-1)
  const { channel_id, response_url } = JSON.parse(JSON.stringify(earlier?.request.body))
  await person.updateAccount({ deleted: true })
  const { command } = createRequests(
    { userId: person.id, teamId: WORKSPACE },
    { workspaceId: WORKSPACE, channelId: channel_id, responseUrl: response_url },
  )
  const countBefore = (await person.messages(channel_id)).length
  await createSender(world.app.url, SIGNING_SECRET)(command(line))
  const { messages } = await person.until(
    `the answer to ${line}`,
    (now) => (now.messages[channel_id] ?? []).length > countBefore,
  )
  return messages[channel_id]?.at(-1)?.text ?? ''
}
