import { type Database, type DatabaseTime, selectRows } from '@signalman/durable'
import { sql } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import type { FeatureStats } from '../../../domain/feature-stats.ts'
import { updateChannels } from './channels.ts'
import { createHistoryStore } from './history.ts'
import { createOnItStore } from './on-it.ts'
import { createOutbox } from './outbox.ts'
import { createPollStore } from './polls.ts'
import { createSilenceStore } from './silences.ts'
import { createWatchesStore } from './watches.ts'
import { watchingLock } from './work.ts'

/** Everything that watching stores. Unless noted, a change is on disk when its function returns. */
export const createWatchStore = (database: Database, time: DatabaseTime) => ({
  watches: createWatchesStore(database, time),
  silences: createSilenceStore(database, time),
  outbox: createOutbox(database, time),
  polls: createPollStore(database, time),
  onIt: createOnItStore(database, time),
  history: createHistoryStore(database),

  /** Decides again what an environment's channels show, when that is due. */
  async update(workspaceId: string, key: string): Promise<void> {
    const environment = ENVIRONMENTS.find((one) => one === key)
    if (environment)
      await database.withLock(watchingLock(workspaceId), (transaction) =>
        updateChannels(transaction, time, { workspaceId, environment }),
      )
  },

  /** The metrics of watching. Reads only indexes and takes no locks. */
  async readStats(): Promise<Pick<FeatureStats, 'environmentsWithoutData' | 'outbox'>> {
    const { reading } = database
    const { now } = await reading.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
    const { count } = await selectRows(reading, 'incident', { uuid: '', is_down: 1, closed_at: null })
      .clearSelect()
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    const { waiting, since } = await reading
      .selectFrom('watch_post')
      .select(({ fn }) => [fn.countAll().as('waiting'), fn.min('opened_at').as('since')])
      .where(sql<boolean>`shown_version < version`)
      .executeTakeFirstOrThrow()
    const oldestMs = since === null ? 0 : Date.parse(now) - Date.parse(since)
    return {
      environmentsWithoutData: Number(count),
      outbox: { waiting: Number(waiting), oldestSeconds: Math.max(0, oldestMs / 1000) },
    }
  },
})

export type WatchStore = ReturnType<typeof createWatchStore>
