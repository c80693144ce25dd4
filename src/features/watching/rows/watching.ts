import type { Database, DatabaseTime, ReadCache } from '@signalman/durable'
import { createAcknowledgmentStore } from '../on-call/rows/acknowledgments.ts'
import { createSilenceStore } from '../on-call/rows/silences.ts'
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
