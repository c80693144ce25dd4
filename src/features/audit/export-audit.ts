import { Readable } from 'node:stream'
import type { Audit, AuditEntry } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { AuditNotes, Messaging, Requester } from '../../bot/routes/command-context.ts'
import { type AuditFilters, filtersLine } from './parse.ts'
import { exportedView, exportingView, sentView } from './views.ts'

/** The size of an export: Slack asks for it before the first byte. */
interface Extent {
  rows: number
  bytes: number
  /** Rows that are added while the file is sent are left to the next export. */
  last: number
}

/** Sends the rows that fit, as a file of JSON Lines, to the person's direct messages. Throws UserError when none fits. */
export async function exportAudit(
  audit: Audit,
  context: Requester & Messaging & AuditNotes,
  filters: AuditFilters,
): Promise<Message> {
  const { workspaceId } = context
  const rows = (before?: number) => audit.read({ workspaceId, ...filters, before })
  // A first pass measures and a second one sends, so that only one page of rows is in memory.
  const extent = await measure(rows())
  if (extent.rows === 0)
    throw new UserError('Nothing in the audit log fits, so there is no file.', [
      { label: 'Newest rows', line: '/hc audit' },
    ])
  await context.record({
    verb: '/hc audit',
    object: 'export of the audit log',
    after: { rows: extent.rows, only: filtersLine(filters) || 'everything' },
  })
  const posted = await context.tell(context.userId, exportingView(extent.rows))
  const name = `audit-${context.now.toISOString().slice(0, 10)}.jsonl`
  const body = Readable.from(lines(rows(extent.last + 1)), { objectMode: false })
  await (await context.slack()).upload(posted, { name, title: name, bytes: extent.bytes, body })
  await context.amend(posted, exportedView(extent.rows, filters))
  return sentView(extent.rows)
}

export async function measure(rows: AsyncIterable<AuditEntry>): Promise<Extent> {
  const extent = { rows: 0, bytes: 0, last: 0 }
  for await (const row of rows) {
    extent.rows += 1
    extent.bytes += lineOf(row).length
    extent.last = row.sequence
  }
  return extent
}

/** One JSON object a line. */
export async function* lines(rows: AsyncIterable<AuditEntry>): AsyncGenerator<Buffer> {
  for await (const row of rows) yield lineOf(row)
}

const lineOf = (row: AuditEntry): Buffer => Buffer.from(`${JSON.stringify(row)}\n`)
