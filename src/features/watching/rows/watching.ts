import type { Database, DatabaseTime, ReadCache } from '@signalman/durable'
import { isDirect } from '@signalman/slack'
import { createAcknowledgmentStore } from '../on-call/rows/acknowledgments.ts'
import { createSilenceStore } from '../on-call/rows/silences.ts'
import { type OwnedRecord } from '../rules/watch.ts'
import { createCardStore } from './cards.ts'
import { createCheckDetailsReader, createHistoryStore } from './history.ts'
import { createMoveWatches } from './named-checks.ts'
import { createOutbox } from './outbox.ts'
import { createPollStore } from './polls.ts'
import { createRecordedCheckStore } from './recorded-checks.ts'
import { createWatchesStore } from './watches.ts'

/** Everything that watching stores. Unless noted, a change is on disk when its function returns. */
export function createWatchStore(
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) {
  const stores = createStores(database, time, cache)
  return {
    ...stores,
    ...createPersonalDataStore(stores),
    cards: createCardStore(database, time),
    history: createHistoryStore(database),
    polls: createPollStore(database, time),
    acknowledgments: createAcknowledgmentStore(database, time),
    readCheckDetails: createCheckDetailsReader(database),
    ...createRecordedCheckStore(database),
    moveWatches: createMoveWatches(database),
  }
}

export type WatchStore = ReturnType<typeof createWatchStore>

const createStores = (
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) => ({
  watches: createWatchesStore(database, time),
  silences: createSilenceStore(database, time, cache),
  outbox: createOutbox(database, time),
})

/** The watches, and silences in a person's direct messages. */
function createPersonalDataStore({ watches, silences, outbox }: ReturnType<typeof createStores>) {
  const createOwnerFilter =
    (userId: string) =>
    (owned: OwnedRecord): boolean =>
      owned.channelId !== undefined && isDirect(owned.channelId) && owned.ownerId === userId
  return {
    hasPersonalWatch: async (workspaceId: string, userId: string): Promise<boolean> =>
      (await watches.list(workspaceId)).some(createOwnerFilter(userId)),

    /**
     * Ends the watches, and silences in the person's direct messages, and drops unsent messages. Returns how many
     * watches there were.
     */
    async endPersonalWatches(workspaceId: string, userId: string, now: Date): Promise<number> {
      const isTheirs = createOwnerFilter(userId)
      const personal = (await watches.list(workspaceId)).filter(isTheirs)
      for (const { id } of personal) await watches.remove(workspaceId, id, now)
      for (const { id } of (await silences.list(workspaceId)).filter(isTheirs))
        await silences.end(workspaceId, id, { endsRecurrence: true, now })
      for (const channelId of new Set(personal.map((watch) => watch.channelId)))
        await outbox.dropUnsent(workspaceId, channelId)
      return personal.length
    },
  }
}
