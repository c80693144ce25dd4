import type { Anchoring } from './anchor/anchoring.ts'
import { LAST_BACKUP, WHOLE_STORE } from './backup/backup-settings.ts'
import type { DatabaseTime } from './database/clock.ts'
import type { Database } from './database/database.ts'
import type { Settings } from './workspaces/settings.ts'

/** Figures of the database for monitoring: the same from every process. */
export interface Figures {
  /** Work that is due and not begun, by kind, and how long the oldest has been due. */
  readonly work: readonly { kind: string; waiting: number; oldestSeconds: number }[]
  /** Orders of unknown outcome. */
  readonly ordersUnknown: number
  /** How long the longest overdue poll is overdue; 0 when none is. */
  readonly pollLagSeconds: number
  /** Environments whose checks cannot be seen. */
  readonly blind: number
  /** Since the last backup, and since the audit log was last anchored; undefined where that never happened. */
  readonly backupAgeSeconds: number | undefined
  readonly anchorAgeSeconds: number | undefined
  /** Cards of outages whose message is out of date, and how long the oldest has been. */
  readonly cards: { readonly waiting: number; readonly oldestSeconds: number }
}

/** Reads by indexes only, and holds up no other work. */
export async function readFigures(
  { reading }: Pick<Database, 'reading'>,
  time: DatabaseTime,
  { settings, anchoring }: { settings: Pick<Settings, 'get'>; anchoring: Pick<Anchoring, 'state'> },
): Promise<Figures> {
  const [backup, anchor, clock, work, orders, polls, cards] = await Promise.all([
    settings.get(WHOLE_STORE, LAST_BACKUP),
    anchoring.state(),
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
      .select(({ fn }) => [fn.min('due_at').as('since'), fn.sum('is_blind').as('blind')])
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
    pollLagSeconds: secondsSince(polls.since),
    blind: Number(polls.blind ?? 0),
    backupAgeSeconds: backup && secondsSince(backup.at),
    anchorAgeSeconds: anchor && secondsSince(anchor.at),
    cards: { waiting: Number(cards.waiting), oldestSeconds: secondsSince(cards.since) },
  }
}
