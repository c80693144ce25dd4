import type { Database, DatabaseTime } from '@signalman/durable'
import type { FeatureStats } from '../../../domain/feature-stats.ts'

/** The metrics of watching. Reads only indexes and takes no locks. */
export async function readWatchStats(
  { reading }: Pick<Database, 'reading'>,
  time: DatabaseTime,
): Promise<Pick<FeatureStats, 'blindEnvironments' | 'outbox'>> {
  const [clock, polls, cards] = await Promise.all([
    reading.selectNoFrom(time().as('now')).executeTakeFirstOrThrow(),
    reading
      .selectFrom('incident')
      .select(({ fn }) => fn.countAll().as('blind'))
      .where((incident) => incident.and({ uuid: '', is_down: 1, closed_at: null }))
      .executeTakeFirstOrThrow(),
    reading
      .selectFrom('watch_card')
      .select(({ fn }) => [fn.countAll().as('waiting'), fn.min('changed_at').as('since')])
      .whereRef('shown_version', '<', 'version')
      .executeTakeFirstOrThrow(),
  ])
  const oldestMs = cards.since === null ? 0 : Date.parse(clock.now) - Date.parse(cards.since)
  return {
    blindEnvironments: Number(polls.blind ?? 0),
    outbox: { waiting: Number(cards.waiting), oldestSeconds: Math.max(0, oldestMs / 1000) },
  }
}
