import type { Database, DatabaseTime, ReadCache } from '@signalman/durable'
import { isDirect } from '@signalman/slack'
import { watchLooks } from '../first-look/rows.ts'
import { watchCalls } from '../on-call/rows/calls.ts'
import { watchPeople } from '../on-call/rows/people.ts'
import { watchSilences } from '../on-call/rows/silences.ts'
import { getOwner, type OwnedInChannel } from '../rules/watch.ts'
import { readCardHistory } from '../timeline/rows.ts'
import { watchCards } from './cards.ts'
import { carryChecks } from './carry-checks.ts'
import { watchDigests } from './digests.ts'
import { createCheckDetailsReader, watchHistory } from './history.ts'
import { watchOutbox } from './outbox.ts'
import { watchPolls } from './polls.ts'
import { watches } from './watches.ts'

/** Everything that watching stores. A change is on disk when its function returns. */
export function watchStore(
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) {
  const stores = createStores(database, time, cache)
  return {
    ...stores,
    ...personalRows(stores),
    cards: watchCards(database, time),
    history: watchHistory(database),
    polls: watchPolls(database, time),
    calls: watchCalls(database, time),
    people: watchPeople(database, time),
    looks: watchLooks(database, time),
    cardHistory: readCardHistory(database),
    readCheckDetails: createCheckDetailsReader(database),
    carryChecks: carryChecks(database),
  }
}

export type WatchStore = ReturnType<typeof watchStore>

const createStores = (
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) => ({
  watches: watches(database, time),
  silences: watchSilences(database, time, cache),
  digests: watchDigests(database, time),
  outbox: watchOutbox(database, time),
})

/** The watches, silences, and daily summaries in a person's direct messages. */
function personalRows({ watches, silences, digests, outbox }: ReturnType<typeof createStores>) {
  const createPersonalCheck =
    (userId: string) =>
    (one: OwnedInChannel): boolean =>
      one.channelId !== undefined && isDirect(one.channelId) && getOwner(one) === userId
  return {
    hasPersonalWatch: async (workspaceId: string, userId: string): Promise<boolean> =>
      (await watches.list(workspaceId)).some(createPersonalCheck(userId)),

    /** Ends all of them. Returns how many watches there were. */
    async forgetPerson(workspaceId: string, userId: string, now: Date): Promise<number> {
      const isTheirs = createPersonalCheck(userId)
      const personal = (await watches.list(workspaceId)).filter(isTheirs)
      for (const { id } of personal) await watches.remove(workspaceId, id, now)
      for (const { id } of (await silences.list(workspaceId)).filter(isTheirs))
        await silences.end(workspaceId, id, { isPlan: true, now })
      for (const { channelId, environment } of (await digests.list(workspaceId)).filter(isTheirs))
        await digests.remove(workspaceId, channelId, environment)
      for (const channelId of new Set(personal.map((watch) => watch.channelId)))
        await outbox.dropUnsent(workspaceId, channelId)
      return personal.length
    },
  }
}
