import type { Database, DatabaseTime } from '@signalman/durable'
import type { CarryChecks } from '../../../domain/outages/carry-checks.ts'
import { type WatchCalls, watchCalls } from '../escalation/rows.ts'
import { type WatchLooks, watchLooks } from '../first-look/rows.ts'
import { type WatchMaintenance, watchMaintenance } from '../maintenance/rows.ts'
import { type WatchReports, watchReports } from '../report/rows.ts'
import { type WatchCards, watchCards } from './cards.ts'
import { carryChecks } from './carry-checks.ts'
import { type WatchDigests, watchDigests } from './digests.ts'
import { type WatchDue, watchDue } from './due.ts'
import { type ToldAlone, toldAlone } from './forget-person.ts'
import { type ReadAboutCheck, readAboutCheck, type WatchHistory, watchHistory } from './history.ts'
import { type WatchMutes, watchMutes } from './mutes.ts'
import { type WatchOutbox, watchOutbox } from './outbox.ts'
import { type WatchPolls, watchPolls } from './polls.ts'
import { type Watches, watches } from './watches.ts'

/** All that is stored for watching. A function that changes something has it on disk before it returns. */
export interface WatchStore extends ToldAlone {
  readonly watches: Watches
  readonly mutes: WatchMutes
  readonly digests: WatchDigests
  readonly maintenance: WatchMaintenance
  readonly cards: WatchCards
  readonly history: WatchHistory
  readonly polls: WatchPolls
  readonly outbox: WatchOutbox
  readonly calls: WatchCalls
  readonly looks: WatchLooks
  readonly reports: WatchReports
  readonly due: WatchDue
  readonly aboutCheck: ReadAboutCheck
  readonly carryChecks: CarryChecks
}

export function watchStore(database: Database, time: DatabaseTime): WatchStore {
  const asked = {
    watches: watches(database, time),
    mutes: watchMutes(database, time),
    digests: watchDigests(database, time),
    outbox: watchOutbox(database, time),
  }
  return {
    ...asked,
    ...toldAlone(asked),
    maintenance: watchMaintenance(database, time),
    cards: watchCards(database, time),
    history: watchHistory(database),
    polls: watchPolls(database, time),
    calls: watchCalls(database, time),
    looks: watchLooks(database, time),
    reports: watchReports(database),
    due: watchDue(database, time),
    aboutCheck: readAboutCheck(database),
    carryChecks: carryChecks(database),
  }
}
