import { type Database, type DatabaseTime, selectRows } from '@signalman/durable'
import type { OpenedFeature } from '../bot/feature.ts'
import { UNCONFIRMED_UNINSTALL } from '../bot/install/uninstalling.ts'
import type { FeatureStats } from '../domain/feature-stats.ts'
import type { StoreStats } from '../metrics/gauges.ts'

/** Reads the stats for monitoring. The queries use only indexes. */
export async function readStoreStats(
  { rows }: Pick<Database, 'rows'>,
  time: DatabaseTime,
  { opened }: { opened: readonly Pick<OpenedFeature<object>, 'stats'>[] },
): Promise<StoreStats> {
  const [clock, work, uninstalls, features] = await Promise.all([
    rows.selectNoFrom(time().as('now')).executeTakeFirstOrThrow(),
    rows
      .selectFrom('work')
      .select(({ fn }) => ['kind', fn.countAll().as('waiting'), fn.min('due_at').as('since')])
      .where('state', '=', 'waiting')
      .where('due_at', '<=', time())
      .groupBy('kind')
      .execute(),
    selectRows(rows, 'work', { workspace_id: '', kind: UNCONFIRMED_UNINSTALL })
      .where('state', 'in', ['waiting', 'running'])
      .clearSelect()
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirst(),
    Promise.all(opened.map(async ({ stats }) => stats?.())),
  ])
  const secondsSince = (since: string | null): number =>
    since === null ? 0 : Math.max(0, (Date.parse(clock.now) - Date.parse(since)) / 1000)
  return {
    ...NO_STATS,
    ...Object.assign({}, ...features),
    work: work.map(({ kind, waiting, since }) => ({
      kind,
      waiting: Number(waiting),
      oldestSeconds: secondsSince(since),
    })),
    unconfirmedUninstalls: Number(uninstalls?.count ?? 0),
  }
}

const NO_STATS: FeatureStats = {
  ordersUnknown: 0,
  environmentsWithoutData: 0,
  polls: { late: 0, lagSeconds: 0, unseenSeconds: 0 },
  outbox: { waiting: 0, oldestSeconds: 0 },
}
