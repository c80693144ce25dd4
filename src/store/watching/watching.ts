import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type WatchCards, watchCards } from './cards.ts'
import { type WatchDigests, watchDigests } from './digests.ts'
import { type WatchHistory, watchHistory } from './history.ts'
import { type WatchMutes, watchMutes } from './mutes.ts'
import { type WatchPolls, watchPolls } from './polls.ts'
import { type Watches, watches } from './watches.ts'

/** Everything that is kept of watching. Each function that changes something is on disk before it returns. */
export interface WatchStore {
  readonly watches: Watches
  readonly mutes: WatchMutes
  readonly digests: WatchDigests
  readonly cards: WatchCards
  readonly history: WatchHistory
  readonly polls: WatchPolls
}

export function watchStore(database: Database, time: DatabaseTime): WatchStore {
  return {
    watches: watches(database, time),
    mutes: watchMutes(database, time),
    digests: watchDigests(database, time),
    cards: watchCards(database, time),
    history: watchHistory(database),
    polls: watchPolls(database, time),
  }
}
