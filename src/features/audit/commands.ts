import { Readable } from 'node:stream'
import type { Audit, AuditEntry, AuditQuery } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { findPerson } from '../../bot/access/actor.ts'
import type {
  ActSteps,
  AuditNotes,
  CommandContext,
  Messaging,
  Requester,
} from '../../bot/routes/command-context.ts'
import type { RouteTable, VerbDeclaration } from '../../bot/routes/routes.ts'
import { type Arguments, type FlagSpecs, refuseWordsBeside } from '../../bot/typed/command-line.ts'
import { formatUsage } from '../../bot/typed/fields.ts'
import { type AuditFilters, FILTER_FLAGS, filtersLine, parseFilters, parseWords, WRITTEN } from './parse.ts'
import {
  type AuditPage,
  auditView,
  exportedView,
  exportFailedView,
  exportingView,
  sentView,
} from './views.ts'

const PAGE = 10

const SHOWN: FlagSpecs = {
  unfolded: { takes: 'switch', about: 'Show similar entries one by one' },
  details: { takes: 'switch', about: 'Also show row numbers, references, and changed values' },
  export: { takes: 'switch', about: 'Send yourself the entries as a file' },
}

const MINE: FlagSpecs = {
  mine: { takes: 'switch', about: 'Show only your own activity. Everyone can use this' },
}

/** `/hc audit`: who did what. */
export const auditCommands = (audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration[] => [
  showAudit(audit, routes),
  showMine(audit, routes),
]

function showAudit(audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration {
  return {
    typed: `/hc audit [WORDS] [--mine] ${formatUsage(WRITTEN)} [--unfolded] [--details] [--export]`,
    does: 'Show who did what, newest first, or send it to yourself as a JSON Lines file',
    needs: 'admin',
    acts: ({ flags }) => flags.export === true,
    example: 'audit delete --from 7d',
    flags: { ...MINE, ...FILTER_FLAGS, before: 'value', ...SHOWN },
    means: ({ flags }) => (flags.mine ? 'audit-mine' : undefined),
    async run(context, args) {
      const { userId: by, ...narrowed } = parseFilters(args, routes.verbs, context.now)
      const found = await parseFiltersOrAsk(context, args.words, routes.verbs)
      refuseWordsBeside('userId' in found ? ['by'] : Object.keys(found), args)
      const filters = {
        ...found,
        ...narrowed,
        ...(by && { userId: await findPerson(await context.slack(), by) }),
      }
      if (args.flags.export) return exportAudit(audit, context, filters)
      const page = await readPage(audit, context.workspaceId, filters, args)
      return auditView({ ...page, filters, hasDetails: args.flags.details === true })
    },
  }
}

/** A person's own activity: no details and no export, as the values in a row may come from what others did. */
function showMine(audit: Audit, routes: Pick<RouteTable, 'verbs'>): VerbDeclaration {
  const { by: _by, intents: _intents, ...own } = FILTER_FLAGS
  return {
    typed: '/hc audit-mine [WORDS]',
    does: 'Show what you did, newest first',
    needs: 'viewer',
    hidden: true,
    flags: { ...MINE, ...own, before: 'value', unfolded: 'switch' },
    async run({ workspaceId, userId, now }, args) {
      const { verbs } = routes
      const found = parseWords(args.words, verbs)
      refuseWordsBeside(Object.keys(found), args)
      const filters = { ...found, ...parseFilters(args, verbs, now), userId }
      const page = await readPage(audit, workspaceId, filters, args)
      return auditView({ ...page, filters, hasDetails: false, isMine: true })
    },
  }
}

/** The matching entries, similar ones folded, starting at `--before`. */
async function readPage(
  audit: Audit,
  workspaceId: string,
  filters: AuditFilters,
  { flags }: Arguments,
): Promise<Pick<AuditPage, 'folds' | 'before' | 'isOlderPage' | 'isUnfolded'>> {
  const before = typeof flags.before === 'string' ? readSequence(flags.before) : undefined
  const query = { workspaceId, ...filters, before, limit: PAGE }
  const isUnfolded = flags.unfolded === true
  // If you ask for the entries of one act or job, you want to see each of them.
  const isEach = isUnfolded || filters.reference !== undefined
  const page = isEach ? await readUnfolded(audit, query) : await audit.searchFolded(query)
  return { ...page, isOlderPage: before !== undefined, isUnfolded }
}

/** Words that aren't flags: a person alone, or a verb and an object. */
async function parseFiltersOrAsk(
  context: CommandContext,
  words: readonly string[],
  verbs: RouteTable['verbs'],
): Promise<AuditFilters> {
  const meant = parseWords(words, verbs)
  const [only = ''] = words
  if (words.length !== 1 || meant.verb || !/^@?[\p{L}][\p{L}\d._-]*$/u.test(only)) return meant
  const userId = await findPerson(await context.slack(), only).catch((error: unknown) => {
    if (error instanceof UserError && !only.startsWith('@')) return undefined
    throw error
  })
  return userId === undefined ? meant : { userId }
}

/** Every entry separately. Reads one more than is shown, to see whether there are older ones. */
async function readUnfolded(audit: Audit, query: AuditQuery): Promise<Pick<AuditPage, 'folds' | 'before'>> {
  const found = await audit.search({ ...query, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  return {
    folds: shown.map((entry) => ({ entry, rows: 1, firstSequence: entry.sequence })),
    before: found.length > query.limit ? shown.at(-1)?.sequence : undefined,
  }
}

function readSequence(typed: string): number {
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UserError('`--before` needs the number of a row.')
}

/** The size of an export, which Slack requires before the first byte. */
interface ExportSize {
  rows: number
  bytes: number
  /** Entries added while the file is sent are left to the next export. */
  last: number
}

/** Sends the matching entries as a JSON Lines file to the person's DM. Throws UserError if there are none. */
async function exportAudit(
  audit: Audit,
  context: Requester & Messaging & AuditNotes & Pick<ActSteps, 'keep'>,
  filters: AuditFilters,
): Promise<Message> {
  const { workspaceId } = context
  const rows = (before?: number) => audit.read({ workspaceId, ...filters, before })
  // A first pass measures and a second one sends, so that only one page of rows is in memory.
  const extent = await context.keep('extent', async () => {
    const found = await measure(rows())
    if (found.rows === 0)
      throw new UserError('No audit entries match, so there’s nothing to export.', [
        { label: 'Newest entries', line: '/hc audit' },
      ])
    await context.record({
      verb: '/hc audit',
      object: 'export of the audit log',
      after: { rows: found.rows, only: filtersLine(filters) || 'everything' },
    })
    return found
  })
  const posted = await context.keep('posted', () => context.tell(context.userId, exportingView(extent.rows)))
  const name = `audit-${context.now.toISOString().slice(0, 10)}.jsonl`
  const body = Readable.from(lines(rows(extent.last + 1)), { objectMode: false })
  const slack = await context.slack()
  await slack
    .upload(posted, { name, title: name, bytes: extent.bytes, body })
    .catch(async (error: unknown) => {
      await context.amend(posted, exportFailedView()).catch(() => undefined)
      throw error
    })
  await context.amend(posted, exportedView(extent.rows, filters))
  return sentView(extent.rows)
}

export async function measure(rows: AsyncIterable<AuditEntry>): Promise<ExportSize> {
  const extent = { rows: 0, bytes: 0, last: 0 }
  for await (const row of rows) {
    extent.rows += 1
    extent.bytes += toJsonLine(row).length
    extent.last = row.sequence
  }
  return extent
}

/** One JSON object per line. */
export async function* lines(rows: AsyncIterable<AuditEntry>): AsyncGenerator<Buffer> {
  for await (const row of rows) yield toJsonLine(row)
}

const toJsonLine = (row: AuditEntry): Buffer => Buffer.from(`${JSON.stringify(row)}\n`)
