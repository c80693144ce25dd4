import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import { similarChecks } from '../../../domain/mistyped-check-name.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { filterForm } from '../forms/filter.ts'
import { LIST_FLAGS, parseFilters } from '../parse.ts'
import { customersSeen, readListing, summarize } from '../read-listing.ts'
import { type CheckExtras, checkView } from '../views/check.ts'
import { listView } from '../views/list.ts'
import { summaryView } from '../views/summary.ts'

export interface LookParts {
  pageSize?: number | undefined
  /** What is known of a check beside what the service says. */
  aboutCheck?: (context: CommandContext, check: HealthCheck) => Promise<CheckExtras>
}

/** `/hc`, and its verbs list and show, which change nothing. */
export function lookingCommands(routes: Routes, { pageSize: usual = 15, aboutCheck }: LookParts): void {
  routes.verb({
    command: 'hc',
    verb: '',
    usage: '',
    does: 'How many health checks are up and down, what is down first',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    alsoTyped: { status: '', summary: '', overview: '' },
    run: async (context) =>
      summaryView(await summarize(await context.api()), context.environment, context.now),
  })

  filterCommands(routes, usual)

  routes.verb({
    command: 'hc',
    verb: 'list',
    usage:
      'list [name*] [--status S] [--protocol P] [--target T] [--customer N] [--no-subsidiaries] [--sort name|uuid] [--limit N]',
    does: 'List health checks, what is down first; * in a name stands for anything, and a target is compared by the service, as a whole',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    alsoTyped: {
      ls: 'list',
      search: 'list',
      find: 'list',
      down: 'list --status UNHEALTHY',
      unhealthy: 'list --status UNHEALTHY',
      up: 'list --status HEALTHY',
      healthy: 'list --status HEALTHY',
    },
    example: 'list web-* --status UNHEALTHY',
    flags: LIST_FLAGS,
    async run(context, args) {
      const { filters, ...place } = parseFilters(args)
      const pageSize = filters.pageSize ?? usual
      const listed = await readListing(await context.api(), filters, place, pageSize)
      // A name that fits nothing was likely meant to be another one.
      const isMissed = listed.total + listed.other === 0 && filters.name !== undefined
      const similar = isMissed
        ? await similarChecks((await context.api()).healthChecks, filters.name ?? '')
        : []
      return listView(listed, filters, { pageSize, similar }, context.environment, context.now)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'show',
    usage: 'show NAME|UUID',
    does: 'Show one health check in full, with its alerts',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    async run(context, { words }) {
      const uuid = await findCheckId(context, words, (uuid) => `/hc show ${quoted(uuid)}`)
      const { healthChecks, alerts } = await context.api()
      const [[check, extras], known] = await Promise.all([
        healthChecks.get(uuid).then(async (check) => [check, await aboutCheck?.(context, check)] as const),
        alerts.list(uuid).catch(() => 'could not be read just now'),
      ])
      return checkView(check, known, context.environment, context.now, extras)
    },
  })
}

/** The window behind **Filter**. */
function filterCommands(routes: Routes, usual: number): void {
  routes.verb({
    command: 'hc',
    verb: 'filter',
    usage: 'filter [name*] [--status S] …',
    does: 'Put the filters of a listing together in a window',
    needs: 'viewer',
    opens: true,
    flags: LIST_FLAGS,
    async run(context, args) {
      const { filters } = parseFilters(args)
      return filterForm.open(context.environment, filters, await customersSeen(await context.api()))
    },
  })

  routes.form(filterForm, { usual })
}
