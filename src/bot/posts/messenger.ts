import {
  isDirect,
  type Message,
  openedByEach,
  type Posted,
  type PostOptions,
  type SlackClients,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type BindButtons, createBindUnasked } from '../buttons/bind-buttons.ts'
import type { Where } from '../install/tenancy.ts'
import type { SoughtPost } from './find-lost-post.ts'

/** Writes messages whose buttons work. All of them throw what Slack refuses with. */
export interface Messenger {
  post(
    where: Where,
    environment: Environment,
    channelId: string,
    message: Message,
    options?: PostOptions & { threadTs?: string | undefined },
  ): Promise<Posted>
  /** To somebody's direct messages with the app. */
  direct(
    where: Where,
    environment: Environment,
    userId: string,
    message: Message,
    options?: PostOptions,
  ): Promise<Posted>
  /** What was posted with a mark, in a channel, a thread or somebody's direct messages; undefined when it is not there, or not yet. */
  find(where: Where, sought: SoughtPost): Promise<Posted | undefined>
  /** In the place of a message of the app. */
  edit(
    where: Where,
    environment: Environment,
    posted: Posted,
    message: Message,
    options?: Pick<PostOptions, 'beforeRequest'>,
  ): Promise<void>
}

export function createMessenger(parts: { clients: SlackClients; bindButtons: BindButtons }): Messenger {
  const { clients } = parts
  const bound = createBindUnasked(parts.bindButtons)
  const ready = (where: Where, environment: Environment, message: Message, channelId: string) =>
    bound(
      where,
      environment,
      isDirect(channelId) ? message : { ...message, blocks: openedByEach(message.blocks) },
    )

  return {
    async post(where, environment, channelId, message, { threadTs, ...options } = {}) {
      const shown = await ready(where, environment, message, channelId)
      return { channelId, ts: await (await clients.of(where)).post({ channelId, threadTs }, shown, options) }
    },
    async direct(where, environment, userId, message, options) {
      return (await clients.of(where)).postDirect(userId, await bound(where, environment, message), options)
    },
    async find(where, { mark, sentAt, lookedAt = sentAt, threadTs, ...place }) {
      const slack = await clients.of(where)
      const channelId = 'to' in place ? await slack.directChannelOf(place.to) : place.channelId
      if (channelId === undefined) return undefined
      const since = lookedAt < sentAt ? lookedAt : sentAt
      const ts = await slack.findPosted({ channelId, threadTs, mark, since, until: sentAt })
      return ts === undefined ? undefined : { channelId, ts }
    },
    async edit(where, environment, posted, message, options) {
      await (await clients.of(where)).edit(
        posted,
        await ready(where, environment, message, posted.channelId),
        options,
      )
    },
  }
}
