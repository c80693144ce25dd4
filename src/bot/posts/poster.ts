import type { Message } from '../../blocks/message.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { NewBlocks } from '../../slack/reply/new-blocks.ts'
import type { Messenger } from '../replies/messenger.ts'

/** A post whose outcome nobody has heard of. */
export interface LostPost {
  readonly mark: string
  readonly sentAt: Date
  /** Of the message in whose thread it was put. */
  readonly threadTs?: string | undefined
}

/** Puts messages into a watched channel, in classic blocks where the workspace takes no others. All throw what Slack refuses with. */
export interface Poster {
  /** Resolves with the message's ts. With a mark it can be found by that. */
  post(place: WatchPlace, message: Message, mark?: string): Promise<string>
  /** In the thread of a message. */
  reply(place: WatchPlace, ts: string, message: Message, mark?: string): Promise<string>
  /** The ts of what was posted; undefined when it is not in the channel, or not yet. */
  find(place: WatchPlace, post: LostPost): Promise<string | undefined>
  edit(place: WatchPlace, ts: string, message: Message): Promise<string>
  direct(place: WatchPlace, userId: string, message: Message): Promise<string>
}

export function createPoster({
  clients,
  messenger,
  newBlocks,
}: {
  clients: SlackClients
  messenger: Messenger
  newBlocks: NewBlocks
}): Poster {
  const whereOf = ({ workspaceId, enterpriseId }: WatchPlace) => ({ workspaceId, enterpriseId })
  const send = (
    place: WatchPlace,
    message: Message,
    work: (where: ReturnType<typeof whereOf>, message: Message) => Promise<string>,
  ): Promise<string> => newBlocks.send(place.workspaceId, message, (one) => work(whereOf(place), one))
  return {
    post: (place, message, mark) =>
      send(place, message, async (where, one) => {
        const { ts } = await messenger.post(where, place.environment, place.channelId, one, { mark })
        return ts
      }),
    reply: (place, threadTs, message, mark) =>
      send(place, message, async (where, one) => {
        const how = { threadTs, mark }
        return (await messenger.post(where, place.environment, place.channelId, one, how)).ts
      }),
    async find(place, post) {
      const slack = await clients.of(whereOf(place))
      return slack.findPosted({ channelId: place.channelId, ...post })
    },
    edit: (place, ts, message) =>
      send(place, message, async (where, one) => {
        await messenger.edit(where, place.environment, { channelId: place.channelId, ts }, one)
        return ts
      }),
    direct: (place, userId, message) =>
      send(place, message, async (where, one) => {
        return (await messenger.direct(where, place.environment, userId, one)).ts
      }),
  }
}
