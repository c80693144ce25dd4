import { Readable } from 'node:stream'
import type { Audit, AuditEntry, AuditQuery } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { findPerson } from '../../bot/access/actor.ts'
import type { FlagSpecs } from '../../bot/grammar/flags.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { ActSteps, AuditNotes, Messaging, Requester } from '../../bot/routes/command-context.ts'
import type { RouteTable, VerbDeclaration } from '../../bot/routes/routes.ts'
import { AUDIT_SLOTS, type AuditFilters, describeFilters, FILTER_FLAGS, parseFilters } from './parse.ts'
import { type AuditPage, auditView, describeExport, sentView } from './views/audit.ts'

const PAGE_SIZE = 10

const DISPLAY_FLAGS: FlagSpecs = {
  ungrouped: { type: 'switch', help: 'Show similar entries one by one' },
  details: { type: 'switch', help: 'Also show row numbers, references, and changed values' },
  export: { type: 'switch', help: 'Send yourself the entries as a file' },
}

const MINE_FLAG: FlagSpecs = {
  mine: { type: 'switch', help: 'Show only your own activity. Everyone can use this' },
}

/** `/hc audit`: who did what. */
export const auditCommands = (audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration[] => [
  auditVerb(audit, routes),
  ownActivityVerb(audit, routes),
]

function auditVerb(audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration {
  return {
    line: '/hc audit',
    slots: AUDIT_SLOTS,
    description: 'Show who did what, newest first, or send it to yourself as a JSON Lines file',
    needs: 'admin',
    isAct: ({ flags }) => flags.export === true,
    example: 'audit delete --from 7d',
    flags: { ...MINE_FLAG, ...FILTER_FLAGS, before: 'value', ...DISPLAY_FLAGS },
    redirect: ({ flags }) => (flags.mine ? 'audit-mine' : undefined),
    async run(context, args) {
      const { timeZone = 'UTC' } = await context.actor()
      const { userId: by, ...typed } = parseFilters(args, routes.verbs, context.now, timeZone)
      const filters = {
        ...typed,
        ...(by && { userId: await findPerson(await context.slack(), by) }),
      }
      if (args.flags.export) return exportAudit(audit, context, filters)
      const page = await readPage(audit, context.workspaceId, filters, args)
      return auditView({ ...page, filters, hasDetails: args.flags.details === true })
    },
  }
}

/** A person's own activity. Has no details and no export, because a row can contain values that other people entered. */
function ownActivityVerb(audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration {
  const { by: _by, intents: _intents, ...ownFlags } = FILTER_FLAGS
  return {
    line: '/hc audit-mine',
    slots: AUDIT_SLOTS,
    description: 'Show what you did, newest first',
    needs: 'viewer',
    hidden: true,
    flags: { ...MINE_FLAG, ...ownFlags, before: 'value', ungrouped: 'switch' },
    async run(context, args) {
      const { workspaceId, userId, now } = context
      const { timeZone = 'UTC' } = await context.actor()
      const filters = { ...parseFilters(args, routes.verbs, now, timeZone), userId }
      const page = await readPage(audit, workspaceId, filters, args)
      return auditView({ ...page, filters, hasDetails: false, isOwn: true })
    },
  }
}

/** A page of matching entries, older than `--before`. Similar entries are grouped, unless `--ungrouped` is set. */
async function readPage(
  audit: Audit,
  workspaceId: string,
  filters: AuditFilters,
  { flags }: Arguments,
): Promise<Pick<AuditPage, 'folds' | 'before' | 'isOlderPage' | 'isUngrouped'>> {
  const before = typeof flags.before === 'string' ? readSequence(flags.before) : undefined
  const query = { workspaceId, ...filters, before, limit: PAGE_SIZE }
  const isUngrouped = flags.ungrouped === true
  // Someone who looks up the reference of a single command or job wants to see each of its entries.
  const showsEach = isUngrouped || filters.reference !== undefined
  const page = showsEach ? await readUngrouped(audit, query) : await audit.searchFolded(query)
  return { ...page, isOlderPage: before !== undefined, isUngrouped }
}

/** Reads entries without folding. Reads one more than it returns, to see whether there are older entries. */
async function readUngrouped(audit: Audit, query: AuditQuery): Promise<Pick<AuditPage, 'folds' | 'before'>> {
  const entries = await audit.search({ ...query, limit: query.limit + 1 })
  const shownEntries = entries.slice(0, query.limit)
  return {
    folds: shownEntries.map((entry) => ({ entry, rows: 1, firstSequence: entry.sequence })),
    before: entries.length > query.limit ? shownEntries.at(-1)?.sequence : undefined,
  }
}

function readSequence(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('`--before` needs the number of a row.')
}

/** The size of an export. Slack has to know the number of bytes before an upload starts. */
interface ExportSize {
  rows: number
  bytes: number
  /** The number of the last row. Entries added while the file is sent aren't part of it. */
  last: number
}

/** Sends the matching entries as a JSON Lines file to the person's DM. Throws UserError if there are none. */
async function exportAudit(
  audit: Audit,
  context: Requester & Messaging & AuditNotes & Pick<ActSteps, 'remember' | 'begunAt'>,
  filters: AuditFilters,
): Promise<Message> {
  const { workspaceId } = context
  const readRows = (before?: number) => audit.readAll({ workspaceId, ...filters, before })
  // Reads the rows twice, first to measure and then to send them, so that only one page of rows is in memory.
  const size = await context.remember('extent', async () => {
    const measured = await measureExport(readRows())
    if (measured.rows === 0)
      throw new UserError('No audit entries match, so there’s nothing to export.', [
        { label: 'Newest entries', line: '/hc audit' },
      ])
    await context.record({
      verb: '/hc audit',
      object: 'export of the audit log',
      after: { rows: measured.rows, only: describeFilters(filters) || 'everything' },
    })
    return measured
  })
  const name = `audit-${context.now.toISOString().slice(0, 10)}.jsonl`
  const body = Readable.from(toJsonLines(readRows(size.last + 1)), { objectMode: false })
  await sendFiles(context, describeExport(size.rows, filters), [
    { name, title: name, bytes: size.bytes, body },
  ])
  return sentView(size.rows)
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
