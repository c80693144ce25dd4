import { sendChannelEvent } from '../delivery/channel-events.ts'
import type { EventDeps } from '../delivery/event.ts'
import { messageFields } from '../payloads/message.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { emojiName, type ReactionError, withoutReaction, withReaction } from '../state/reactions.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { Slack } from '../state/world.ts'

type ReactionDeps = EventDeps & Pick<Slack, 'files'>

/** Adds or removes a reaction, and sends the app an event. Returns Slack's error if the reaction can't be added or removed. */
export function changeReaction(
  slack: ReactionDeps,
  message: StoredMessage,
  { user, name: nameOrCode, remove }: { user: string; name: string; remove: boolean },
): Promise<Outcome> | ReactionError {
  const name = emojiName(nameOrCode)
  const before = message.reactions ?? []
  const after = remove ? withoutReaction(before, name, user) : withReaction(before, name, user)
  if (typeof after === 'string') return after
  slack.messages.change(message, { reactions: after })
  const type = remove ? 'reaction_removed' : 'reaction_added'
  return sendChannelEvent(
    slack,
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
  slack: ReactionDeps,
  message: StoredMessage,
  { user, remove }: { user: string; remove: boolean },
): Promise<Outcome> | false {
  if ((message.pinned === true) !== remove) return false
  slack.messages.change(message, { pinned: !remove })
  const type = remove ? 'pin_removed' : 'pin_added'
  const { channel, ts } = message
  const count = slack.messages.list(channel).filter(({ pinned }) => pinned).length
  return sendChannelEvent(
    slack,
    type,
    { channel, user },
    {
      user,
      channel_id: channel,
      item: {
        type: 'message',
        channel,
        created_by: user,
        created: Math.floor(Number(ts)),
        message: messageFields(slack, message),
      },
      item_user: message.user,
      ...(remove && { has_pins: count > 0 }),
      pin_count: count,
    },
  )
}

function findMessage(slack: Slack, { user, channel, ts }: PostBody<'pin'>): StoredMessage {
  const message = slack.messages.find(findOwnChannel(slack, findActor(slack, user), channel).id, ts)
  if (!message || message.ephemeral)
    throw new ActionError('message_not_found', `There is no message ${ts} in ${channel}.`)
  return message
}

const unchanged = (slack: Slack): Outcome => ({ ok: true, deliveryId: null, seq: slack.log.seq })

/** A person reacts with an emoji, or removes the reaction. */
export async function reactToMessage(slack: Slack, post: PostBody<'react'>): Promise<Outcome> {
  const result = changeReaction(slack, findMessage(slack, post), { ...post, remove: post.remove === true })
  if (typeof result === 'string')
    throw new ActionError(result, `":${post.name}:" can't be added or removed there.`)
  return result
}

/** A person pins or unpins a message. */
export async function pinMessage(slack: Slack, post: PostBody<'pin'>): Promise<Outcome> {
  const result = changePin(slack, findMessage(slack, post), { ...post, remove: post.remove === true })
  return result === false ? unchanged(slack) : result
}
