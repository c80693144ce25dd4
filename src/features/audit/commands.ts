import type { Audit, AuditQuery } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { findPerson } from '../../bot/access/actor.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { RouteTable } from '../../bot/routes/routes.ts'
import type { FlagSpecs } from '../../bot/typed/command-line.ts'
import { usageOf } from '../../bot/typed/fields.ts'
import { exportAudit } from './export-audit.ts'
import { type AuditFilters, FILTER_FLAGS, parseFilters, WRITTEN, wordsFilter } from './parse.ts'
import { type AuditPage, auditView } from './views.ts'

const PAGE = 10

const SHOWN: FlagSpecs = {
  unfolded: { takes: 'switch', about: 'Each of the acts that are alike by itself' },
  details: { takes: 'switch', about: 'With the names, row numbers and references of the log' },
  export: { takes: 'switch', about: 'As a file, to your direct messages' },
}

/** `/hc audit`: who did what. */
export function auditCommands(routes: RouteTable, { audit }: { audit: Audit }): void {
  routes.verb({
    command: 'hc',
    verb: 'audit',
    usage: `audit [WORDS] ${usageOf(WRITTEN)} [--unfolded] [--details] [--export]`,
    does: 'Show who did what, newest first, or send it to you as a file of JSON Lines',
    needs: 'admin',
    acts: ({ flags }) => flags.export === true,
    example: 'audit delete --from 7d',
    flags: { ...FILTER_FLAGS, before: 'value', ...SHOWN },
    async run(context, args) {
      const { before } = args.flags
      const { userId: by, ...narrowed } = parseFilters(args, routes.verbs, context.now)
      const found = await whatIsMeant(context, args.words, routes.verbs)
      const filters = {
        ...found,
        ...narrowed,
        ...(by && { userId: await findPerson(await context.slack(), by) }),
      }
      if (args.flags.export) return exportAudit(audit, context, filters)
      const start = typeof before === 'string' ? sequenceOf(before) : undefined
      const query = { workspaceId: context.workspaceId, ...filters, before: start, limit: PAGE }
      // A person who asks for the rows of one act or job wants to see each of them.
      const isUnfolded = args.flags.unfolded === true || filters.reference !== undefined
      const page = isUnfolded ? await unfolded(audit, query) : await audit.searchFolded(query)
      const unfoldedFlag = args.flags.unfolded === true
      const hasDetails = args.flags.details === true
      return auditView({
        ...page,
        filters,
        isLater: start !== undefined,
        isUnfolded: unfoldedFlag,
        hasDetails,
      })
    },
  })
}

/** Words that are no flag: a person alone, else a verb and what it was done with. */
async function whatIsMeant(
  context: CommandContext,
  words: readonly string[],
  verbs: RouteTable['verbs'],
): Promise<AuditFilters> {
  const meant = wordsFilter(words, verbs)
  const [only = ''] = words
  if (words.length !== 1 || meant.verb || !/^@?[\p{L}][\p{L}\d._-]*$/u.test(only)) return meant
  const userId = await findPerson(await context.slack(), only).catch((error: unknown) => {
    if (error instanceof UserError && !only.startsWith('@')) return undefined
    throw error
  })
  return userId === undefined ? meant : { userId }
}

/** Every row by itself. One row more than is shown is read, to see whether there are older ones. */
async function unfolded(audit: Audit, query: AuditQuery): Promise<Pick<AuditPage, 'folds' | 'before'>> {
  const found = await audit.search({ ...query, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  return {
    folds: shown.map((entry) => ({ entry, rows: 1, firstSequence: entry.sequence })),
    before: found.length > query.limit ? shown.at(-1)?.sequence : undefined,
  }
}

function sequenceOf(typed: string): number {
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UserError('`--before` takes the number of a row.')
}
