import type { AppLink } from '../delivery/app-link.ts'
import { sendChannelEvent } from '../delivery/events.ts'
import { pinnedItem } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { TOMBSTONE } from '../state/messages.ts'
import { emojiName, type ReactionError, withoutReaction, withReaction } from '../state/reactions.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

/** Adds or removes a reaction, and sends the app an event. Returns Slack's error if the reaction can't be added or removed. */
export function changeReaction(
  world: World,
  link: AppLink,
  message: StoredMessage,
  { user, name: nameOrCode, remove }: { user: string; name: string; remove: boolean },
): Promise<Outcome> | ReactionError {
  const name = emojiName(nameOrCode)
  const before = message.reactions ?? []
  const after = remove ? withoutReaction(before, name, user) : withReaction(before, name, user)
  if (typeof after === 'string') return after
  world.messages.change(message, { reactions: after })
  const type = remove ? 'reaction_removed' : 'reaction_added'
  return sendChannelEvent(
    world,
    link,
    type,
    { channel: message.channel, user },
    {
      user,
      reaction: name,
      item: { type: 'message', channel: message.channel, ts: message.ts },
      item_user: message.user,
    },
  )
}

/** Pins or unpins a message, and sends the app an event. Returns false if nothing changes. */
export function changePin(
  world: World,
  link: AppLink,
  message: StoredMessage,
  { user, remove }: { user: string; remove: boolean },
): Promise<Outcome> | false {
  const { pin: earlier, channel } = message
  if ((earlier !== undefined) !== remove) return false
  const pin = earlier ?? { by: user, at: Math.floor(world.now().getTime() / 1000) }
  world.messages.change(message, { pin: remove ? undefined : pin })
  const count = world.messages.list(channel).filter((other) => other.pin).length
  return sendChannelEvent(
    world,
    link,
    remove ? 'pin_removed' : 'pin_added',
    { channel, user },
    {
      user,
      channel_id: channel,
      item: pinnedItem(world, message, pin),
      item_user: message.user,
      ...(remove && { has_pins: count > 0 }),
      pin_count: count,
      pinned_info: { channel, pinned_by: pin.by, pinned_ts: pin.at },
    },
  )
}

function findMessage(world: World, { user, channel, ts }: PostBody<'pin'>): StoredMessage {
  const message = world.messages.find(findOwnChannel(world, findActor(world, user), channel).id, ts)
  if (!message || message.ephemeral || message.subtype === TOMBSTONE)
    throw new ActionError('message_not_found', `There is no message ${ts} in ${channel}.`)
  return message
}

const unchanged = (world: World): Outcome => ({ ok: true, deliveryId: null, seq: world.log.seq })

/** A person reacts with an emoji, or removes the reaction. */
export async function reactToMessage(world: World, link: AppLink, post: PostBody<'react'>): Promise<Outcome> {
  const result = changeReaction(world, link, findMessage(world, post), {
    ...post,
    remove: post.remove === true,
  })
  if (typeof result === 'string')
    throw new ActionError(result, `":${post.name}:" can't be added or removed there.`)
  return result
}

/** A person pins or unpins a message. */
export async function pinMessage(world: World, link: AppLink, post: PostBody<'pin'>): Promise<Outcome> {
  const result = changePin(world, link, findMessage(world, post), { ...post, remove: post.remove === true })
  return result === false ? unchanged(world) : result
}
