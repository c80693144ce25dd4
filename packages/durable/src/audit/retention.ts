import { DAY_MS } from '@signalman/runtime'
import { sql, type Transaction } from 'kysely'
import { type DatabaseTime, readTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { AuditEntryRow, Schema } from '../database/schema.ts'
import type { Chains } from './chain.ts'
import type { Head } from './head.ts'
import { readChain } from './read-chain.ts'
import { type AuditEvent, toUnchainedRow } from './row.ts'

/** Rows that one transaction verifies and deletes while all other writes wait. */
const BATCH_SIZE = 100

/** Creates the audit event that records a removal. Only the first removal of a day adds one. */
export type CreateRetentionEvent = (now: Date) => AuditEvent

/** Which of the rows that are old enough may go. */
export interface RetentionPace {
  /** Rows up to here may go at once: an admin agreed to that when they were old enough. */
  readonly approvedUpTo: number
  /** How many days that have rows may go besides. A wrong clock makes rows look old, so only a few go at a time. */
  readonly days: number
}

/** The rows that are old enough, by the database's clock. */
export interface OlderRows {
  readonly rows: number
  /** The number of the last one; 0 if there is none. */
  readonly last: number
  /** The time according to the database. */
  readonly now: Date
}

/** Counts a workspace's audit rows that are older than this many days. */
export async function findOlderThan(
  database: Pick<Database, 'rows' | 'reading'>,
  time: DatabaseTime,
  workspaceId: string,
  days: number,
): Promise<OlderRows> {
  const now = await readTime(database.rows, time)
  const cutoff = new Date(now.getTime() - days * DAY_MS)
  const last = (await findLastToRemove(database, workspaceId, { cutoff, now })) ?? 0
  const { count } = await database.reading
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '<=', last)
    .executeTakeFirstOrThrow()
  return { rows: Number(count), last, now }
}

/** The last row of the first days that have rows after this one. */
async function findPacedEnd(
  { reading }: Pick<Database, 'reading'>,
  workspaceId: string,
  { approvedUpTo, days }: RetentionPace,
): Promise<number> {
  let end = approvedUpTo
  const seen: string[] = []
  for (;;) {
    let next = reading
      .selectFrom('audit_entry')
      .select(['sequence', 'at'])
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '>', end)
    for (const day of seen) next = next.where('at', 'not like', `${day}%`)
    const first = await next.orderBy('sequence').limit(1).executeTakeFirst()
    if (!first) return Number.MAX_SAFE_INTEGER
    if (seen.length === days) return first.sequence - 1
    seen.push(first.at.slice(0, 'YYYY-MM-DD'.length))
    end = Math.max(end, first.sequence - 1)
  }
}

/**
 * Deletes a workspace's audit rows that are older than this many days by the database's clock, from the start of the chain. A row
 * dated in the future neither stops it nor causes newer rows to be deleted. Each batch moves the start of the chain in the same
 * transaction, so that a kill loses at most one batch. Returns the number of deleted rows. Throws StoreError `tampered` at a
 * tampered row.
 */
export async function removeOlderThan(
  database: Pick<Database, 'rows' | 'reading'>,
  { chains, time }: { chains: Chains; time: DatabaseTime },
  workspaceId: string,
  days: number,
  createAuditEvent: CreateRetentionEvent,
  pace?: RetentionPace,
): Promise<number> {
  const now = await readTime(database.rows, time)
  let total = await deleteLeftovers(database, chains, workspaceId)
  const lastDue = await findLastToRemove(database, workspaceId, {
    cutoff: new Date(now.getTime() - days * DAY_MS),
    now,
  })
  if (lastDue === undefined) return total
  const end = pace ? Math.min(lastDue, await findPacedEnd(database, workspaceId, pace)) : lastDue
  for (;;) {
    const removed = await database.rows
      .transaction()
      .execute((transaction) => removeBatch(transaction, chains, workspaceId, { end, now, createAuditEvent }))
    total += removed
    if (removed < BATCH_SIZE) return total
  }
}

/**
 * The last row from before the cutoff. Stops at the first row dated between the cutoff and now, so that the removed rows are always
 * the start of the chain.
 */
async function findLastToRemove(
  { reading }: Pick<Database, 'reading'>,
  workspaceId: string,
  { cutoff, now }: { cutoff: Date; now: Date },
): Promise<number | undefined> {
  const own = reading.selectFrom('audit_entry').where('workspace_id', '=', workspaceId)
  const recent = own.where('at', '>', cutoff.toISOString()).where('at', '<=', now.toISOString())
  const firstRecent = await recent.select('sequence').orderBy('sequence').limit(1).executeTakeFirst()
  let old = own.where('at', '<=', cutoff.toISOString())
  if (firstRecent) old = old.where('sequence', '<', firstRecent.sequence)
  return (await old.select('sequence').orderBy('sequence', 'desc').limit(1).executeTakeFirst())?.sequence
}

async function removeBatch(
  transaction: Transaction<Schema>,
  chains: Chains,
  workspaceId: string,
  { end, now, createAuditEvent }: { end: number; now: Date; createAuditEvent: CreateRetentionEvent },
): Promise<number> {
  const head = await chains.lock(transaction, workspaceId)
  if (!head) return 0
  const removed = await transaction
    .selectFrom('audit_entry')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '>=', head.keptFrom)
    .where('sequence', '<=', Math.min(end, head.sequence))
    .orderBy('sequence')
    .limit(BATCH_SIZE)
    .execute()
  const last = removed.at(-1)
  if (!last) return 0
  refuseTampered(chains, head, workspaceId, removed)
  await transaction
    .deleteFrom('audit_entry')
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '>=', head.keptFrom)
    .where('sequence', '<=', last.sequence)
    .execute()
  const day = now.toISOString().slice(0, 10)
  const todaysCut = head.cuts.find((cut) => cut.why === 'retention' && cut.day === day)
  const by = todaysCut?.by ?? head.sequence + 1
  const headChanges = {
    keptFrom: last.sequence + 1,
    hashBefore: last.hash,
    erased: head.erased - removed.filter(({ sealed_erasure }) => sealed_erasure !== null).length,
    cuts: [
      ...head.cuts.filter(({ why }) => why !== 'retention'),
      { why: 'retention', to: last.sequence, by, day } as const,
    ],
  }
  if (todaysCut) await chains.save(transaction, workspaceId, { ...head, ...headChanges })
  else await chains.append(transaction, workspaceId, [toUnchainedRow(createAuditEvent(now))], headChanges)
  return removed.length
}

/** Removing a changed row would hide the change. */
function refuseTampered(
  chains: Chains,
  head: Head,
  workspaceId: string,
  removed: readonly AuditEntryRow[],
): void {
  const chain = readChain(head, chains.isErased)
  const [fault] = removed.flatMap((row) => chain.step(row))
  if (fault === undefined) return
  throw new StoreError(
    'tampered',
    `The audit log of ${workspaceId} was tampered with at row ${fault.sequence}, so retention deletes nothing more from it. Verify the audit log.`,
  )
}

/**
 * Deletes rows that a removal left behind because its process died: everything before the first kept row, oldest first, so that
 * the remaining ones always lead to it. Returns the number of deleted rows.
 */
export async function deleteLeftovers(
  { rows }: Pick<Database, 'rows'>,
  chains: Chains,
  workspaceId: string,
): Promise<number> {
  const head = await chains.readHead(rows, workspaceId)
  if (!head) return 0
  for (let total = 0; ; ) {
    const oldest = rows
      .selectFrom('audit_entry')
      .select('sequence')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '<', head.keptFrom)
      .orderBy('sequence')
      .limit(BATCH_SIZE)
    const { numDeletedRows } = await rows
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', workspaceId)
      .where(
        'sequence',
        'in',
        rows.selectFrom(oldest.as('oldest')).select(sql<number>`sequence`.as('sequence')),
      )
      .executeTakeFirstOrThrow()
    total += Number(numDeletedRows)
    if (numDeletedRows < BigInt(BATCH_SIZE)) return total
  }
}
