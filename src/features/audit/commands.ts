import type { Audit } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { findPerson } from '../../bot/access/actor.ts'
import { parameter } from '../../bot/grammar/parameters.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import type { Messaging, Requester, Rights, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { Verbs } from '../../bot/routes/read-line.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { listNamesInTime } from '../../bot/unread/list-names.ts'
import { PERIOD_EXAMPLES, parsePeriod, toPastDates } from '../../domain/dates/period.ts'
import { toZoned } from '../../domain/dates/zoned.ts'
import { NothingFound } from '../../domain/nothing-found.ts'
import { quoted } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { exportAudit } from './export-audit.ts'
import { type AuditFilters, auditView } from './views.ts'

const PAGE_SIZE = 20

/** `/hc audit`: who did what. */
export const auditCommand = (audit: Audit, routes: Verbs): VerbDeclaration => ({
  line: '/hc audit',
  parameters: [
    parameter('person', 'person'),
    // A part of the verb or object, or a reference.
    parameter('text', 'text'),
    parameter('period', 'period'),
  ],
  description: 'Show who did what, newest first, or send it to yourself as a JSON Lines file',
  needs: 'admin',
  hasNoEnvironment: true,
  isAct: ({ flags }) => flags.export === true,
  example: 'audit delete yesterday',
  flags: { export: { type: 'switch', help: 'Send yourself the entries as a file' }, before: 'value' },
  async run(context, args) {
    const { flags, values } = args
    const filters = await readFilters(context, values)
    if (flags.export) return exportAudit(audit, context, filters)
    const before = typeof flags.before === 'string' ? parseSequence(flags.before) : undefined
    const query = { workspaceId: context.workspaceId, ...filters, before, limit: PAGE_SIZE }
    const page = await audit.searchFolded(query)
    const line = formatLine(values)
    // A text that no entry has may be no text: `audit newsroom please`.
    if (values.text !== undefined && page.folds.length === 0 && before === undefined)
      throw createNothingFoundError(values)
    return auditView({ ...page, line, filters, isOlderPage: before !== undefined, routes })
  },
})

/** Reads what was typed. Throws UserError. */
async function readFilters(
  context: Requester & Rights & Messaging & ServiceAccess,
  { person, period, text }: Arguments['values'],
): Promise<AuditFilters> {
  const userId = person === undefined ? undefined : await findPerson(await context.slack(), person)
  const filters = { userId, text, aliases: await listAliases(context, text) }
  if (period === undefined) return filters
  const { timeZone = 'UTC' } = context.actor
  const now = toZoned(context.now, timeZone)
  const read = parsePeriod(period, now)
  if (!read) throw new UserError(`“${period}” isn’t a period. Type ${PERIOD_EXAMPLES}.`)
  const { from, to } = toPastDates(read, now, period)
  return { ...filters, from, ...(read.to && { to }) }
}

/** The UUIDs of the health checks with this name now: under an earlier name, they are found by them. None if the service doesn't say. */
async function listAliases(context: ServiceAccess, name = ''): Promise<readonly string[]> {
  const listing = name === '' ? undefined : await listNamesInTime(context)
  const folded = foldName(name)
  return (listing?.checks ?? []).filter((check) => foldName(check.name) === folded).map(({ uuid }) => uuid)
}

/** The error for a text that no entry has. */
function createNothingFoundError({ text = '', ...others }: Arguments['values']): NothingFound {
  const whose = others.person === undefined ? '' : ' of that person'
  const when = others.period === undefined ? '' : ` (${clip(oneLine(others.period), 40)})`
  return new NothingFound(`No audit entry${whose} matches “${clip(oneLine(text), 80)}”${when}.`, [], {
    without: formatLine(others),
  })
}

/** The line that was typed, for the buttons. */
const formatLine = ({ person, period, text }: Arguments['values']): string =>
  ['/hc audit', person, text && quoted(text), period].filter(Boolean).join(' ')

function parseSequence(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('`--before` needs the number of a row.')
}
