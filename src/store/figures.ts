import type { Anchoring } from './anchor/anchoring.ts'
import { LAST_BACKUP, WHOLE_STORE } from './backup/backup-settings.ts'
import type { DatabaseTime } from './database/clock.ts'
import type { Database } from './database/database.ts'
import type { Settings } from './workspaces/settings.ts'

/** What the database holds that somebody who watches the app wants to know. The same whichever process asks. */
export interface Figures {
  /** Due and not begun, by kind, and for how long the first of it has been due. */
  readonly work: readonly { kind: string; waiting: number; oldestSeconds: number }[]
  /** Orders of which nobody knows yet whether they were placed. */
  readonly ordersUnknown: number
  /** How late the latest poll is; 0 when none is. */
  readonly pollLagSeconds: number
  /** Environments whose checks cannot be seen. */
  readonly blind: number
  /** Since the last backup, and since an end of the audit log was last put outside; undefined where none ever was. */
  readonly backupAgeSeconds: number | undefined
  readonly anchorAgeSeconds: number | undefined
  /** Messages about outages that are not shown as they should be, and for how long the first of them has not been. */
  readonly cards: { readonly waiting: number; readonly oldestSeconds: number }
}

/** Reads along indexes, beside all other work. */
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
