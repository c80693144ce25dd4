import type { Arguments } from '../../bot/grammar/read-words.ts'
import { choice, slot } from '../../bot/grammar/slots.ts'
import {
  CHECK_OR_PATTERN,
  id,
  LISTED_CHECKS,
  ONE_CHECK,
  PROTOCOL_WORDS,
} from '../../bot/grammar/vocabulary.ts'
import type { CheckNotes, WatchedChecks } from '../../bot/ports.ts'
import type { CommandContext, Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../bot/typed/fields.ts'
import { type Environment, environmentSuffix } from '../../domain/environment.ts'
import { findCheckId, isPattern, type TypedCheck } from '../../domain/find-check.ts'
import { findSimilarChecks } from '../../domain/mistyped-check-name.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { bulkCommands } from './bulk/commands.ts'
import { bulkForm } from './bulk/forms.ts'
import { type BulkAction, bulkFlags, parseBulk } from './bulk/parse.ts'
import type { PlanDeps } from './bulk/plan-bulk.ts'
import { previewBulk } from './bulk/preview.ts'
import { fileCommands } from './files/commands.ts'
import type { ImportDeps } from './files/forms.ts'
import { createForm, PREFILL_FIELDS } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm, saveAnyway } from './forms/edit.ts'
import { filterForm } from './forms/filter.ts'
import { jobCommands } from './jobs/commands.ts'
import { readForEdit } from './jobs/read-for-edit.ts'
import type { JobDeps } from './jobs/start-job.ts'
import { LIST_FLAGS, parseFilters } from './parse.ts'
import { readAlerts } from './read-alerts.ts'
import { findWider, readListing, suggestCustomers, summarize } from './read-listing.ts'
import { checkView } from './views/check.ts'
import { formatSummaryHeadline, listView, summaryView } from './views/list.ts'

/** `/hc` and its verbs for health checks. Their alerts are a separate feature. */
export const healthCheckCommands = (deps: ImportDeps, showDeps: ShowDeps): VerbDeclaration[] => [
  ...showCommands(showDeps),
  ...editCommands(deps),
  ...fileCommands(deps),
  ...bulkCommands(deps),
  ...jobCommands(deps),
]

export interface ShowDeps {
  /** Reads what other features add to the card of a check. */
  getCheckNotes: (
    context: CommandContext,
    check: HealthCheck,
    options: { isShared: boolean },
  ) => Promise<CheckNotes>
  watched: WatchedChecks
}

/** Summarizes an environment's health checks for App Home, as a card and as a single line. Throws the service's errors. */
export async function homeSummary(
  { watched }: Pick<ShowDeps, 'watched'>,
  context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
  environment: Environment,
  signal: AbortSignal,
) {
  const scope = { workspaceId: context.workspaceId, environment, now: context.now }
  const summary = await summarize(await context.api(environment), scope, watched, signal)
  const card = summaryView(summary, environment, context.now, { atHome: true })
  return {
    total: summary.total,
    card: card.blocks,
    line: formatSummaryHeadline(summary, environmentSuffix(environment)),
  }
}

/** The read-only commands: `/hc`, `/hc list`, and `/hc show`. */
const showCommands = ({ getCheckNotes, watched }: ShowDeps): VerbDeclaration[] => [
  {
    line: '/hc',
    elsewhere: { name: '/hc show' },
    also: ['status', 'summary', 'overview', 'health', 'check status', 'dashboard'],
    description: 'Show the status of your health checks',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    async run(context) {
      const summary = await summarize(await context.api(), context, watched)
      return summaryView(summary, context.environment, context.now)
    },
  },

  filterCommand,

  {
    line: '/hc list',
    slots: LISTED_CHECKS,
    also: ['ls', 'search', 'find', 'checks', 'check list', 'monitor list', 'show all'],
    elsewhere: { period: '/hc history', address: '/hc recipients' },
    description: 'List health checks, down ones first; use * in a name to match anything',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    example: 'list web-* --status UNHEALTHY',
    flags: LIST_FLAGS,
    async run(context, args) {
      const { filters, offset } = parseFilters(args)
      const api = await context.api()
      const listed = await readListing(api, filters, offset, (uuids) => watched.findDownSince(context, uuids))
      const wider = listed.total === 0 ? await findWider(api, filters) : undefined
      // A name that no check has in any status was probably mistyped.
      const isMistyped = listed.total === 0 && filters.name !== undefined && wider?.filters.name === undefined
      const similar = isMistyped ? await findSimilarChecks(api.healthChecks, filters.name ?? '') : []
      const isMaintained = await watched.inMaintenance(context)
      return listView(listed, filters, { similar, wider, isMaintained }, context.environment, context.now)
    },
  },

  {
    line: '/hc show',
    slots: ONE_CHECK,
    also: ['get', 'describe', 'info'],
    elsewhere: { period: '/hc history' },
    description: 'Show a health check and its alert recipients',
    flags: {
      details: {
        type: 'switch',
        help: 'Also show its server address, port, UUID, and who created and last changed it',
      },
    },
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    async run(context, { flags, ...typed }) {
      const uuid = await findCheckId(context, typed, (check) => `/hc show ${check}`, { reads: true })
      const api = await context.api()
      const isShared = flags.share === true
      const [[check, extras], alertsOrProblem] = await Promise.all([
        api.healthChecks
          .get(uuid)
          .then(async (check) => [check, await getCheckNotes(context, check, { isShared })] as const),
        readAlerts(api, uuid),
      ])
      return checkView(check, alertsOrProblem, context.environment, context.now, {
        extras,
        showDetails: flags.details === true,
        isShared,
      })
    },
  },
]

/** Opens the window of a list's **Filter** button. */
const filterCommand: VerbDeclaration = {
  line: '/hc filter',
  slots: LISTED_CHECKS,
  description: 'Choose the filters of a list in a window',
  needs: 'viewer',
  opensModal: true,
  flags: LIST_FLAGS,
  async run(context, args) {
    const { filters } = parseFilters(args)
    return filterForm.open(context.environment, filters)
  },
}

/** A single check that was typed, by its name or UUID and without filters or settings. Otherwise, the command is about many checks. */
async function findSingle(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  action: BulkAction,
  { values, words, flags }: Arguments,
): Promise<TypedCheck | undefined> {
  const isBulk = Object.keys(bulkFlags(action)).some((flag) => flag !== 'name' && flags[flag] !== undefined)
  const name = typeof flags.name === 'string' ? flags.name : (values.check ?? '')
  if (
    isBulk ||
    values.all !== undefined ||
    (flags.name !== undefined && name.includes('*')) ||
    (await isPattern(context, name))
  )
    return undefined
  return values.uuid === undefined
    ? { values: { check: name }, words: flags.name === undefined ? words : [name] }
    : { values }
}

/** `/hc create`, `edit`, and `delete`. A single check is edited or deleted in a window; many get a preview first. */
const editCommands = (deps: PlanDeps & JobDeps): VerbDeclaration[] => [
  {
    line: '/hc create',
    elsewhere: { address: '/hc recipients add', person: '/hc grant' },
    slots: [
      slot('name', 'text', { flag: 'name', usage: 'NAME', after: ['as', 'named', 'called', 'name', 'for'] }),
      slot('target', 'host', {
        flag: 'target',
        after: ['as', 'at', 'for', 'on', 'of', 'with', 'to', 'url', 'target'],
      }),
      choice('protocol', PROTOCOL_WORDS, { flag: 'protocol', usage: '' }),
    ],
    description: 'Create a health check in a window, filled in with what you typed',
    needs: 'operator',
    also: [
      ...['add', 'new', 'start monitoring', 'monitor add', 'check add', 'uptime add'],
      ...['add', 'create', 'new', 'add a', 'create a', 'add new', 'create new'].flatMap((verb) => [
        `${verb} check`,
        `${verb} monitor`,
      ]),
      ...['add url', 'add site', 'add website', 'add endpoint', 'add host'],
    ],
    opensModal: true,
    flags: flagSpecs(PREFILL_FIELDS),
    async run(context, { flags }) {
      const prefilled = readFields(PREFILL_FIELDS, flags)
      const api = await context.api()
      return createForm.open(context.environment, api.account, prefilled, await suggestCustomers(api))
    },
  },

  {
    line: '/hc edit',
    slots: CHECK_OR_PATTERN,
    also: ['change', 'update', 'rename', 'set', 'modify', 'alter', 'adjust'],
    description: 'Edit a health check, or many at once with a * or a filter, after a preview',
    needs: 'operator',
    opensModal: true,
    flags: bulkFlags('edit'),
    async run(context, args) {
      const typed = await findSingle(context, 'edit', args)
      if (!typed) {
        const request = parseBulk('edit', args)
        if (Object.keys(request.changes).length > 0) return previewBulk(deps, context, request)
        return bulkForm.open(context.environment, request)
      }
      const uuid = await findCheckId(context, typed, (check) => `/hc edit ${check}`, { takesPattern: true })
      const api = await context.api()
      return editForm.open(context.environment, await readForEdit(deps, context, api, uuid), api.account)
    },
  },

  {
    line: '/hc delete',
    elsewhere: { address: '/hc recipients remove' },
    slots: CHECK_OR_PATTERN,
    also: ['remove', 'rm', 'del', 'destroy', 'erase', 'drop'],
    description:
      'Delete a health check after a confirmation, or many at once with a * or a filter, after a preview',
    needs: 'operator',
    opensModal: true,
    flags: bulkFlags('delete'),
    async run(context, args) {
      const typed = await findSingle(context, 'delete', args)
      if (!typed) return previewBulk(deps, context, parseBulk('delete', args))
      const uuid = await findCheckId(context, typed, (check) => `/hc delete ${check}`, { takesPattern: true })
      const api = await context.api()
      const check = await readForEdit(deps, context, api, uuid, { withAlerts: true })
      return deleteForm.open(context.environment, check, api.account)
    },
  },

  editAnywayCommand(deps),
]

/** Only for the button that overwrites someone else's change. */
const editAnywayCommand = (deps: PlanDeps & JobDeps): VerbDeclaration => ({
  line: '/hc edit-anyway',
  slots: [id('state', 'STATE')],
  description: 'Save an edit and overwrite a change that was made meanwhile',
  needs: 'operator',
  isAct: true,
  hidden: true,
  run: (context, { values: { state = '' } }) => saveAnyway(deps, context, state),
})
