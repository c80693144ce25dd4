import type { RouteTable } from '../../bot/routes/routes.ts'
import { UserError } from '../../errors.ts'
import type { Audit } from '../../store/store.ts'
import { exportAudit } from './export-audit.ts'
import { findPerson } from './find-person.ts'
import { FILTER_FLAGS, parseFilters } from './parse.ts'
import { auditView } from './views/audit.ts'

const PAGE = 10

/** `/hc audit`: who did what. */
export function auditCommands(routes: RouteTable, { audit }: { audit: Audit }): void {
  routes.verb({
    command: 'hc',
    verb: 'audit',
    usage: 'audit [--by @person] [--verb V] [--object O] [--from DAY] [--to DAY] [--intents] [--export]',
    does: 'Show who did what, newest first, or send it to you as a file of JSON Lines',
    needs: 'admin',
    acts: ({ flags }) => flags.export === true,
    example: 'audit --verb delete --from 7d',
    flags: { ...FILTER_FLAGS, before: 'value', export: 'switch' },
    async run(ask, args) {
      const { by, before } = args.flags
      const filters = {
        ...parseFilters(args, routes.verbs, ask.now),
        ...(typeof by === 'string' && { userId: await findPerson(await ask.slack(), by) }),
      }
      if (args.flags.export) return exportAudit(audit, ask, filters)
      const start = typeof before === 'string' ? sequenceOf(before) : undefined
      const { workspaceId } = ask
      // One more than is shown tells whether there are older ones.
      const found = await audit.search({ workspaceId, ...filters, before: start, limit: PAGE + 1 })
      const entries = found.slice(0, PAGE)
      const older = found.length > PAGE ? entries.at(-1)?.sequence : undefined
      return auditView({ entries, filters, older, isLater: start !== undefined })
    },
  })
}

function sequenceOf(typed: string): number {
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UserError('`--before` takes the number of a row.')
}
