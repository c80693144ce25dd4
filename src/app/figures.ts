import {
  type Anchoring,
  type Database,
  type DatabaseTime,
  LAST_BACKUP,
  type Settings,
  WHOLE_STORE,
} from '@signalman/durable'
import type { Figures } from '../metrics/readings.ts'

/** Reads by indexes only, and holds up no other work. */
export async function readFigures(
  { reading }: Pick<Database, 'reading'>,
  time: DatabaseTime,
  { settings, anchoring }: { settings: Pick<Settings, 'get'>; anchoring: Pick<Anchoring, 'allSeenAt'> },
): Promise<Figures> {
  const [backup, anchor, clock, work, orders, polls, cards] = await Promise.all([
    settings.get(WHOLE_STORE, LAST_BACKUP),
    anchoring.allSeenAt(),
    reading.selectNoFrom(time().as('now')).executeTakeFirstOrThrow(),
    reading
      .selectFrom('work')
      .select(({ fn }) => ['kind', fn.countAll().as('waiting'), fn.min('due_at').as('since')])
      .where('state', '=', 'waiting')
      .where('due_at', '<=', time())
      .groupBy('kind')
      .execute(),
    reading
      .selectFrom('cert_order')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('state', '=', 'unknown')
      .executeTakeFirstOrThrow(),
    reading
      .selectFrom('watch_poll')
      .select(({ fn }) => fn.sum('is_blind').as('blind'))
      .executeTakeFirstOrThrow(),
    reading
      .selectFrom('watch_card')
      .select(({ fn }) => [fn.countAll().as('waiting'), fn.min('changed_at').as('since')])
      .whereRef('shown_version', '<', 'version')
      .executeTakeFirstOrThrow(),
  ])
  const secondsSince = (since: string | null): number =>
    since === null ? 0 : Math.max(0, (Date.parse(clock.now) - Date.parse(since)) / 1000)
  return {
    work: work.map(({ kind, waiting, since }) => ({
      kind,
      waiting: Number(waiting),
      oldestSeconds: secondsSince(since),
    })),
    ordersUnknown: Number(orders.count),
    blind: Number(polls.blind ?? 0),
    backupAgeSeconds: backup && secondsSince(backup.at),
    anchorAgeSeconds: anchor && secondsSince(anchor.toISOString()),
    cards: { waiting: Number(cards.waiting), oldestSeconds: secondsSince(cards.since) },
  }
}
