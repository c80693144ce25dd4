import type { Message } from '../../blocks/message.ts'
import type { Messenger } from '../../bot/replies/messenger.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { NewBlocks } from '../../slack/reply/new-blocks.ts'

/** Puts messages into a watched channel, in classic blocks where the workspace takes no others. All throw what Slack refuses with. */
export interface Poster {
  /** Resolves with the message's ts. */
  post(place: WatchPlace, message: Message): Promise<string>
  /** In the thread of a message. */
  reply(place: WatchPlace, ts: string, message: Message): Promise<string>
  edit(place: WatchPlace, ts: string, message: Message): Promise<string>
  direct(place: WatchPlace, userId: string, message: Message): Promise<string>
}

export function createPoster({
  messenger,
  newBlocks,
}: {
  messenger: Messenger
  newBlocks: NewBlocks
}): Poster {
  const send = (
    place: WatchPlace,
    message: Message,
    work: (
      where: { workspaceId: string; enterpriseId: string | undefined },
      message: Message,
    ) => Promise<string>,
  ): Promise<string> => {
    const where = { workspaceId: place.workspaceId, enterpriseId: place.enterpriseId }
    return newBlocks.send(place.workspaceId, message, (one) => work(where, one))
  }
  return {
    post: (place, message) =>
      send(place, message, async (where, one) => {
        const { ts } = await messenger.post(where, place.environment, place.channelId, one)
        return ts
      }),
    reply: (place, ts, message) =>
      send(place, message, async (where, one) => {
        return (await messenger.post(where, place.environment, place.channelId, one, ts)).ts
      }),
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
