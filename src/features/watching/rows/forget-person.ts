import { isDirect } from '@signalman/slack'
import { type AskedInChannel, whose } from '../rules/watch.ts'
import type { WatchDigests } from './digests.ts'
import type { WatchMutes } from './mutes.ts'
import type { WatchOutbox } from './outbox.ts'
import type { Watches } from './watches.ts'

interface Stores {
  readonly watches: Watches
  readonly mutes: WatchMutes
  readonly digests: WatchDigests
  readonly outbox: WatchOutbox
}

/** What a person is told alone, in direct messages. */
export interface ToldAlone {
  isToldAlone(workspaceId: string, userId: string): Promise<boolean>
  /** Ends all of it. Returns how many watches that were. */
  forgetPerson(workspaceId: string, userId: string, now: Date): Promise<number>
}

export function toldAlone({ watches, mutes, digests, outbox }: Stores): ToldAlone {
  const isOf =
    (userId: string) =>
    (one: AskedInChannel): boolean =>
      isDirect(one.channelId) && whose(one) === userId
  return {
    isToldAlone: async (workspaceId, userId) => (await watches.list(workspaceId)).some(isOf(userId)),

    async forgetPerson(workspaceId, userId, now) {
      const isTheirs = isOf(userId)
      const own = (await watches.list(workspaceId)).filter(isTheirs)
      for (const { id } of own) await watches.remove(workspaceId, id, now)
      for (const { id } of (await mutes.list(workspaceId)).filter(isTheirs)) await mutes.end(workspaceId, id)
      for (const { channelId, environment } of (await digests.list(workspaceId)).filter(isTheirs))
        await digests.remove(workspaceId, channelId, environment)
      for (const channelId of new Set(own.map((watch) => watch.channelId)))
        await outbox.giveUp(workspaceId, channelId)
      return own.length
    },
  }
}
