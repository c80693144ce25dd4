import type { AppLink } from '../delivery/app-link.ts'
import { sendEvent } from '../delivery/events.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { ASSISTANT_THREAD } from '../state/messages.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

/**
 * A person starts a thread with the assistant while viewing a channel, or views another channel next to an existing thread (`ts`).
 * (https://docs.slack.dev/reference/events/assistant_thread_started and assistant_thread_context_changed, November 2026)
 */
export async function startAssistantThread(
  world: World,
  link: AppLink,
  post: PostBody<'thread'>,
): Promise<Outcome> {
  const { people, messages, manifest, log } = world
  const person = findActor(world, post.user)
  if (!manifest.isAssistant)
    throw new ActionError('no_assistant', 'The manifest has neither assistant_view nor agent_view.')
  const bot = appBotIn(activeTeamId(person)).userId
  const channel = people.openDirectMessage([person.id, bot])
  const viewedChannel = post.from === undefined ? channel : findOwnChannel(world, person, post.from)
  const seq = log.seq
  const isNew = post.ts === undefined
  const newThread = { channel: channel.id, user: bot, app: true, text: 'New chat', subtype: ASSISTANT_THREAD }
  const parent = isNew ? messages.post(newThread) : messages.find(channel.id, post.ts ?? '')
  if (parent?.subtype !== ASSISTANT_THREAD)
    throw new ActionError('thread_not_found', `${person.name} has no thread ${post.ts} with the assistant.`)
  const { id: team_id, organization } = people.getWorkspace(person)
  const isViewingChannel = viewedChannel.id !== channel.id
  const context = isViewingChannel
    ? { channel_id: viewedChannel.id, team_id, enterprise_id: organization?.id ?? null }
    : {}
  const thread = { user_id: person.id, context, channel_id: channel.id, thread_ts: parent.ts }
  const type = isNew ? 'assistant_thread_started' : 'assistant_thread_context_changed'
  const outcome = await sendEvent(world, link, type, person.id, { assistant_thread: thread }, channel)
  return outcome.ok ? { ...outcome, seq, ts: parent.ts } : outcome
}
