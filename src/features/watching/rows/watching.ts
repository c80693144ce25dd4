import { type Database, type DatabaseTime, type DecisionTransaction, selectRows } from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { sql } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import type { FeatureStats } from '../../../domain/feature-stats.ts'
import type { WatchScope } from '../rules/watch.ts'
import { channelChanges, channelPauses, channelReads } from './channel-access.ts'
import { updateChannels } from './channels.ts'
import { createHistoryStore } from './history.ts'
import { onItChanges, onItLocked, onItReads } from './on-it.ts'
import { createOutbox } from './outbox.ts'
import { createPollStore } from './polls.ts'
import { followInSilences, silenceChanges, silenceReads } from './silences.ts'
import { followInWatches, watchChanges, watchReads } from './watches.ts'
import { WATCH_WORK } from './work.ts'

const LATE_SECONDS = (2 * MINUTE_MS) / 1000

/**
 * Everything that watching stores. What people change is changed only `within` a decision. Polls, deliveries, timers, and Slack's events
 * change what they are about by themselves, each in a transaction of its own under the same lock.
 */
export const createWatchStore = (database: Database, time: DatabaseTime) => ({
  within: (decisions: DecisionTransaction) => ({
    watches: watchChanges(decisions, time),
    channels: channelChanges(decisions, time),
    silences: silenceChanges(decisions, time),
    onIt: onItChanges(decisions, time),
  }),

  watches: watchReads(database),
  channels: { ...channelReads(database), ...channelPauses(database, time) },
  silences: silenceReads(database),
  outbox: createOutbox(database, time),
  polls: createPollStore(database, time),
  onIt: { ...onItReads(database), ...onItLocked(database, time) },
  history: createHistoryStore(database),

  /** Decides again what an environment's channels show, when that is due. */
  async update(workspaceId: string, key: string): Promise<void> {
    const environment = ENVIRONMENTS.find((one) => one === key)
    if (environment)
      await database.withLock(workspaceId, (transaction) =>
        updateChannels(transaction, time, { workspaceId, environment }),
      )
  },

  /** Follows a check that was put back: watches and silences of the deleted one are about it from now on. */
  follow: ({ workspaceId, environment }: WatchScope, deleted: string, putBack: string): Promise<void> =>
    database.withLock(workspaceId, async (transaction) => {
      const scope = { workspaceId, environment }
      const count =
        (await followInWatches(transaction, scope, deleted, putBack)) +
        (await followInSilences(transaction, scope, deleted, putBack))
      if (count > 0) await updateChannels(transaction, time, scope)
    }),

  /** The metrics of watching. Reads only indexes and takes no locks. */
  async readStats(): Promise<Pick<FeatureStats, 'environmentsWithoutData' | 'polls' | 'outbox'>> {
    const { rows } = database
    const { now } = await rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow()
    const { count } = await selectRows(rows, 'incident', { uuid: '', is_down: 1, closed_at: null })
      .clearSelect()
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    const { waiting, since } = await rows
      .selectFrom('watch_post')
      .select(({ fn }) => [
        fn.countAll().as('waiting'),
        sql<string | null>`min(coalesce(waiting_since, opened_at))`.as('since'),
      ])
      .where(sql<boolean>`shown_version < version`)
      // Nothing is sent to a paused channel.
      .where(
        sql<boolean>`not exists (select 1 from watch_channel c where c.workspace_id = watch_post.workspace_id
          and c.channel_id = watch_post.channel_id and c.paused_at is not null)`,
      )
      .executeTakeFirstOrThrow()
    const due = await rows
      .selectFrom('work')
      .select(['due_at'])
      .where('kind', '=', WATCH_WORK.poll)
      .where('state', 'in', ['waiting', 'running'])
      .where('due_at', '<=', now)
      .execute()
    const polled = await rows.selectFrom('watch_poll').select('last_ok_at').execute()
    const secondsSince = (at: string | null): number =>
      at === null ? 0 : Math.max(0, (Date.parse(now) - Date.parse(at)) / 1000)
    const lags = due.map(({ due_at }) => secondsSince(due_at))
    return {
      environmentsWithoutData: Number(count),
      polls: {
        late: lags.filter((seconds) => seconds > LATE_SECONDS).length,
        lagSeconds: lags.reduce((longest, seconds) => Math.max(longest, seconds), 0),
        // Also a time ahead of now, from before the clock was set back, says nothing about the last poll.
        unseenSeconds: polled.reduce(
          (longest, { last_ok_at: at }) =>
            Math.max(
              longest,
              at === null ? Number.POSITIVE_INFINITY : Math.abs(Date.parse(now) - Date.parse(at)) / 1000,
            ),
          0,
        ),
      },
      outbox: { waiting: Number(waiting), oldestSeconds: secondsSince(since) },
    }
  },
})

export type WatchStore = ReturnType<typeof createWatchStore>
