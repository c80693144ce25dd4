import type { AppLink } from '../delivery/app-link.ts'
import { issueResponseUrl, sendInteraction, toOutcome } from '../delivery/interaction.ts'
import { channelFields } from '../payloads/channel.ts'
import { messageFields } from '../payloads/message.ts'
import { createId } from '../protocol/ids.ts'
import type { Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'

function messageShortcut(
  world: World,
  person: Person,
  address: { channel: string; ts: string },
  cause: string,
) {
  const { people, messages } = world
  const message = messages.find(address.channel, address.ts)
  const channel = people.channel(address.channel)
  if (!message || !channel || message.ephemeral || !channel.members.includes(person.id))
    throw new ActionError(
      'message_not_found',
      `There is no message ${address.ts} in ${address.channel} that ${person.name} can use a shortcut on.`,
    )
  return {
    type: 'message_action',
    channel: channelFields(world, channel.id),
    message_ts: message.ts,
    message: messageFields(world, message),
    response_url: issueResponseUrl(world, 'app', person, message, cause),
  }
}

/** A person chooses a shortcut of a message: sends `message_action`. */
export async function runShortcut(world: World, link: AppLink, post: PostBody<'shortcut'>): Promise<Outcome> {
  const { tickets, log, manifest, messages } = world
  const person = findActor(world, post.user)
  if (!manifest.shortcuts.some(({ callbackId }) => callbackId === post.callbackId))
    throw new ActionError('invalid_shortcut', `The manifest has no shortcut "${post.callbackId}".`)
  const id = createId('Q')
  const seq = log.seq
  const payload = {
    ...messageShortcut(world, person, post.message, id),
    callback_id: post.callbackId,
    action_ts: messages.nextTs(),
    trigger_id: tickets.issueTrigger({
      user: person.id,
      viewId: null,
      cause: id,
    }),
  }
  const outcome = toOutcome(await sendInteraction(world, link, person, payload, id), seq)
  if (!outcome.ok) log.append({ type: 'notice', text: outcome.message, cause: id }, [person.id])
  return outcome
}
