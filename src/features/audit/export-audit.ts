import { Readable } from 'node:stream'
import type { Audit, AuditEntry } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { type Message, message, section } from '@signalman/slack'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { ActSteps, AuditNotes, Messaging, Requester } from '../../bot/routes/command-context.ts'
import { pluralize } from '../../domain/wording.ts'
import type { AuditFilters } from './views.ts'

/** The size of an export. Slack has to know the number of bytes before an upload starts. */
interface ExportSize {
  rows: number
  bytes: number
  /** The number of the last row. Entries added while the file is sent aren't part of it. */
  last: number
}

/** Sends the matching entries as a JSON Lines file to the person's DM. Throws UserError if there are none. */
export async function exportAudit(
  audit: Audit,
  context: Requester & Messaging & AuditNotes & ActSteps,
  filters: AuditFilters,
): Promise<Message> {
  const { workspaceId } = context
  const readRows = (before?: number) => audit.readAll({ workspaceId, ...filters, before })
  // Reads the rows twice, first to measure and then to send them, so that only one page of rows is in memory.
  const size = await context.once('extent', async () => {
    const measured = await measureExport(readRows())
    if (measured.rows === 0)
      throw new UserError('No audit entries match, so there’s nothing to export.', [
        { label: 'Newest entries', line: '/hc audit' },
      ])
    const { userId, text, from, to } = filters
    await context.record({
      verb: '/hc audit',
      object: 'export of the audit log',
      after: { rows: measured.rows, by: userId, text, from: from?.toISOString(), to: to?.toISOString() },
    })
    return measured
  })
  const name = `audit-${context.now.toISOString().slice(0, 10)}.jsonl`
  const body = Readable.from(toJsonLines(readRows(size.last + 1)), { objectMode: false })
  const rows = pluralize(size.rows, 'row')
  await sendFiles(context, `${rows} of the audit log, oldest first, one JSON object per line.`, [
    { name, title: name, bytes: size.bytes, body },
  ])
  const sentence = `Signalman sent you a DM with the file of ${rows}.`
  return message(sentence, section(sentence))
}

export async function measureExport(rows: AsyncIterable<AuditEntry>): Promise<ExportSize> {
  const size = { rows: 0, bytes: 0, last: 0 }
  for await (const row of rows) {
    size.rows += 1
    size.bytes += toJsonLine(row).length
    size.last = row.sequence
  }
  return size
}

/** One JSON object per line. */
export async function* toJsonLines(rows: AsyncIterable<AuditEntry>): AsyncGenerator<Buffer> {
  for await (const row of rows) yield toJsonLine(row)
}

const toJsonLine = (row: AuditEntry): Buffer => Buffer.from(`${JSON.stringify(row)}\n`)
