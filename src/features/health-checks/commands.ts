import { UserError, yieldWhenDue } from '@signalman/runtime'
import { type Message, oneLine } from '@signalman/slack'
import { choice, parameter } from '../../bot/grammar/parameters.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import {
  ANY_CHECK,
  CHECK_STATUS_WORDS,
  DOWN_CHECKS,
  LISTED_CHECKS,
  ONE_CHECK,
  PROTOCOL_WORDS,
  SOME_CHECKS,
} from '../../bot/grammar/vocabulary.ts'
import type { CheckNotes, WatchedChecks } from '../../bot/ports.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { nameInText } from '../../bot/routes/name-mentions.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../bot/typed/fields.ts'
import { listNamesInTime } from '../../bot/unread/list-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { findCheckId, findPattern } from '../../domain/find-check.ts'
import { targetHost } from '../../domain/known-names.ts'
import { globMatcher, toPattern } from '../../domain/name-pattern.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, NamedCheck } from '../../service/health-checks.ts'
import { recipientsCommand } from './bulk/change-recipients.ts'
import { describePatch, EDIT_FLAGS, parsePatch } from './bulk/edit-flags.ts'
import { jobCommands } from './bulk/jobs.ts'
import { planChange } from './bulk/plan-checks.ts'
import { findById, findByPattern, previewChange } from './bulk/preview-change.ts'
import type { BulkDeps } from './bulk/start.ts'
import { exportCommand } from './files/export-checks.ts'
import { importForm, previewFile } from './files/import.ts'
import { createForm, PREFILL_FIELDS } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm } from './forms/edit.ts'
import { describeFilters, LIST_FLAGS, parseFilters } from './parse.ts'
import { countNone, findOnlyCustomer, readListing, summarize } from './read-listing.ts'
import { MAX_PORT, type Settings } from './rules/fields.ts'
import { followUrl, pickCheckSettings } from './rules/settings.ts'
import { checkView } from './views/check.ts'
import { explainEmpty, listView, summaryView, unwatchedView } from './views/list.ts'

/** `/hc` and its verbs for health checks. Their alerts are a separate feature. */
export const healthCheckCommands = (deps: BulkDeps, showDeps: ShowDeps): VerbDeclaration[] => [
  ...showCommands(showDeps),
  ...editCommands(deps),
  recipientsCommand(deps),
  ...jobCommands(deps),
  exportCommand(deps),
  importCommand(deps),
]

interface ShowDeps {
  /** Reads what other features add to the card of a check. */
  getCheckNotes: (
    context: CommandContext,
    check: HealthCheck,
    options: { isShared: boolean },
  ) => Promise<CheckNotes>
  watched: WatchedChecks
}

/** Summarizes an environment's health checks for App Home. Throws the service's errors. */
export async function homeSummary(
  { watched }: Pick<ShowDeps, 'watched'>,
  context: Pick<CommandContext, 'workspaceId' | 'api' | 'now'>,
  environment: Environment,
  signal: AbortSignal,
) {
  const scope = { workspaceId: context.workspaceId, environment, now: context.now }
  const summary = await summarize(await context.api(environment), scope, watched, signal)
  const take = await watched.listTakeButtons(scope, listUuids(summary.down.rows))
  return summaryView(summary, environment, context.now, { atHome: true, take }).blocks
}

const { status: _status, ...DOWN_FLAGS } = LIST_FLAGS

/** The read-only commands: `/hc`, `/hc list`, `/hc down`, and `/hc show`. */
const showCommands = ({ getCheckNotes, watched }: ShowDeps): VerbDeclaration[] => [
  {
    line: '/hc',
    parameters: ANY_CHECK,
    description: 'Show the status of your health checks, or one of them',
    redirect: ({ values }) => ((values.check ?? values.uuid) === undefined ? undefined : 'show'),
    needs: 'viewer',
    guests: true,
    shares: true,
    async run(context) {
      const summary = await summarize(await context.api(), context, watched)
      const silenced = context.channelId === undefined ? [] : await watched.listSilenced(context)
      const take = await watched.listTakeButtons(context, listUuids(summary.down.rows))
      return summaryView(summary, context.environment, context.now, { silenced, take })
    },
  },

  {
    line: '/hc list',
    parameters: [...LISTED_CHECKS, choice('watched', { unwatched: 'unwatched' })],
    description:
      'List health checks, beginning with what is down; use * in a name to match anything; unwatched: those that no channel watches',
    needs: 'viewer',
    guests: true,
    shares: true,
    example: 'list web-* down',
    flags: LIST_FLAGS,
    run: (context, args) =>
      args.values.watched === undefined
        ? showList(watched, context, args)
        : listUnwatched(watched, context, args),
  },

  {
    line: '/hc down',
    parameters: DOWN_CHECKS,
    description: 'List the health checks that are down',
    needs: 'viewer',
    guests: true,
    shares: true,
    example: 'down shop*',
    flags: DOWN_FLAGS,
    run: (context, args) =>
      showList(watched, context, { ...args, flags: { ...args.flags, status: CHECK_STATUS_WORDS.down } }),
  },

  {
    line: '/hc show',
    parameters: ONE_CHECK,
    description: 'Show a health check and its alert recipients',
    flags: {
      details: {
        type: 'switch',
        help: 'Also show its customer, certificate, server address, port, UUID, and who created and last changed it',
      },
    },
    needs: 'viewer',
    guests: true,
    shares: true,
    async run(context, { flags, ...typed }) {
      const uuid = await findCheckId(context, typed, { reads: true })
      const api = await context.api()
      const isShared = flags.share === true
      const [[check, extras], alertsOrProblem] = await Promise.all([
        api.healthChecks
          .get(uuid)
          .then(async (check) => [check, await getCheckNotes(context, check, { isShared })] as const),
        api.alerts.list(uuid).catch((error: unknown) => {
          if (error instanceof ApiError) return 'couldn’t be read'
          throw error
        }),
      ])
      return checkView(check, alertsOrProblem, context.environment, context.now, {
        extras,
        showDetails: flags.details === true,
        isShared,
      })
    },
  },
]

async function showList(watched: WatchedChecks, context: CommandContext, args: Arguments): Promise<Message> {
  const { filters: typed, offset } = parseFilters(args)
  const filters = { ...typed, ...(typed.name && { name: await nameInText(context, typed.name) }) }
  const api = await context.api()
  // Before the listing, so that its rows aren't kept while these are read.
  const since = await watched.findDownSince(context)
  const isMaintained = await watched.inMaintenance(context)
  const listed = await readListing(api, filters, offset, since)
  const none = await countNone(api, filters, listed)
  if (none?.ofKind === 0 && filters.name !== undefined) throw explainEmpty(filters, none, context.environment)
  const down = [...(listed.down?.rows ?? []), ...listed.rows].filter(({ status }) => status === 'UNHEALTHY')
  // Only what is known to be down, with nobody on it, can be on a card to take.
  const free = down.filter(({ uuid }) => since.has(uuid) && !since.get(uuid)?.onIt)
  const take = await watched.listTakeButtons(context, listUuids(free))
  return listView(listed, filters, { isMaintained, none, take }, context.environment, context.now)
}

/** Lists what no channel watches. That is known only of names, so nothing but a name can narrow it. */
async function listUnwatched(
  watched: WatchedChecks,
  context: CommandContext,
  { flags }: Arguments,
): Promise<Message> {
  const { filters, offset } = parseFilters({ flags })
  const { name, ...others } = filters
  if (describeFilters(others) !== '')
    throw new UserError('`unwatched` takes only a name beside it, such as `/hc list shop* unwatched`.')
  const names = await listNamesInTime(context)
  if (!names)
    throw new UserError(
      'The service didn’t list the names of all health checks in time. Try again in a minute.',
    )
  const isUnwatched = await watched.isUnwatched(context)
  const matches = globMatcher(toPattern(name ?? '*'))
  const found: NamedCheck[] = []
  let matching = 0
  for (const check of names.checks) {
    await yieldWhenDue()
    if (!matches(check.name)) continue
    matching += 1
    if (isUnwatched(check)) found.push(check)
  }
  return unwatchedView({ found, matching, ...names, name, offset }, context.environment)
}

const listUuids = (checks: readonly HealthCheck[]): string[] => checks.map(({ uuid }) => uuid)

/** Whether it's the ID of a file, and not its name. */
const isSlackFile = (typed: string | undefined): typed is string => /^F[A-Z0-9]+$/.test(typed ?? '')

const importCommand = (deps: BulkDeps): VerbDeclaration => ({
  line: '/hc import',
  // A file that Slack has. Only buttons name one.
  parameters: [parameter('file', 'text', { usage: '' })],
  description: 'Create and change health checks from a CSV file, after a preview',
  needs: 'operator',
  opensModal: ({ values }) => !isSlackFile(values.file),
  async run(context, { values: { file } }) {
    if (isSlackFile(file)) return previewFile(deps, context, file)
    // Throws if no token is stored.
    await context.api()
    return importForm.open(context.environment)
  },
})

const WHAT_CHANGES = `What should change? Add a setting, such as --frequency 30: ${Object.keys(EDIT_FLAGS)
  .map((flag) => `--${flag}`)
  .join(', ')}. Or export the health checks, change the file, and import it.`

/** How often a check runs: `every 60s`, or `5m` at the end. */
const EVERY = [
  parameter('every', 'interval', { group: 'every', flag: 'frequency', after: 'every' }),
  parameter('interval', 'interval', { group: 'every', flag: 'frequency', usage: '' }),
]

/** The port of a target that isn't a URL: `db.example.com:5432`. */
function partPort(typed: Settings): Settings {
  const [, target, digits] = /^([^/:]+):(\d{1,5})$/.exec(typed.target ?? '') ?? []
  const port = Number(digits)
  // The window says what is wrong with any other.
  return port >= 1 && port <= MAX_PORT ? { ...typed, target, port } : typed
}

/** Whether a line is about a single check. Many get a preview instead of a window. */
const isSingle = ({ all, pattern }: Arguments['values']): boolean => (all ?? pattern) === undefined

/** The preview of a typed change. Undefined for a single check without a setting, which opens a window. */
async function previewEdit(
  deps: BulkDeps,
  context: CommandContext,
  { flags, ...typed }: Arguments,
): Promise<Message | undefined> {
  const set = parsePatch(flags)
  const isRenamed = set.name !== undefined
  const pattern = await findPattern(context, typed.values)
  if (Object.keys(set).length === 0) {
    if (pattern === undefined) return undefined
    throw new UserError(WHAT_CHANGES, [
      { label: 'Export', line: '/hc export' },
      { label: 'Import', line: '/hc import' },
    ])
  }
  if (pattern !== undefined && isRenamed)
    throw new UserError('A new name is for one health check. Type its whole name instead of a pattern.')
  const found =
    pattern === undefined
      ? await findById(
          context,
          await findCheckId(context, isRenamed ? { ...typed, takesPattern: false } : typed),
        )
      : await findByPattern(context, pattern)
  return previewChange(deps, context, found, {
    verb: '/hc edit',
    does: describePatch(set),
    withAlerts: false,
    toChange: ({ settings }) => ({ set: followUrl(set, settings) }),
  })
}

/** The preview of deleting the checks that match a pattern. Undefined for a single check, which opens a window. */
async function previewDeletion(
  deps: BulkDeps,
  context: CommandContext,
  { values }: Arguments,
): Promise<Message | undefined> {
  const pattern = await findPattern(context, values)
  if (pattern === undefined) return undefined
  return previewChange(deps, context, await findByPattern(context, pattern), {
    verb: '/hc delete',
    does: 'Delete',
    withAlerts: true,
    toChange: () => ({ delete: true }),
  })
}

/** `/hc create`, `edit`, and `delete`. A single check is edited or deleted in a window; many get a preview first. */
const editCommands = (deps: BulkDeps): VerbDeclaration[] => [
  {
    line: '/hc create',
    parameters: [
      parameter('name', 'text', { flag: 'name', usage: 'NAME' }),
      parameter('target', 'host', { flag: 'target' }),
      choice('protocol', PROTOCOL_WORDS, { flag: 'protocol', usage: '' }),
      ...EVERY,
    ],
    description: 'Create a health check in a window, filled in with what you typed',
    needs: 'operator',
    opensModal: true,
    flags: flagSpecs(PREFILL_FIELDS),
    example: 'create Shop https://shop.example.com every 5m',
    async run(context, { flags }) {
      const prefilled = partPort(followUrl(readFields(PREFILL_FIELDS, flags), {}))
      const { target, name = target && targetHost(target) } = prefilled
      const api = await context.api()
      const { customerId = await findOnlyCustomer(api).catch(() => undefined) } = prefilled
      return createForm.open(context.environment, api.account, { ...prefilled, name, customerId })
    },
  },

  {
    line: '/hc edit',
    parameters: [...SOME_CHECKS, ...EVERY],
    description: 'Edit a health check, or many at once with a *, after a preview',
    needs: 'operator',
    opensModal: ({ values, flags }) =>
      isSingle(values) && !Object.keys(flags).some((flag) => Object.hasOwn(EDIT_FLAGS, flag)),
    flags: EDIT_FLAGS,
    async run(context, args) {
      const shown = await previewEdit(deps, context, args)
      if (shown) return shown
      const uuid = await findCheckId(context, args)
      const api = await context.api()
      return editForm.open(context.environment, await api.healthChecks.get(uuid), api.account)
    },
  },

  {
    line: '/hc delete',
    parameters: SOME_CHECKS,
    description: 'Delete a health check after a confirmation, or many at once with a *, after a preview',
    needs: 'operator',
    opensModal: ({ values }) => isSingle(values),
    async run(context, typed) {
      const shown = await previewDeletion(deps, context, typed)
      if (shown) return shown
      // A part of a name is no reason to offer the deletion of all that have it.
      const uuid = await findCheckId(context, { ...typed, takesPattern: false })
      const api = await context.api()
      const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), api.alerts.list(uuid)])
      const state = { settings: pickCheckSettings(check), alerts }
      const row = planChange({ line: 1, name: oneLine(check.name) || uuid, uuid }, state, { delete: true })
      if (typeof row !== 'object') throw new UserError(String(row))
      return deleteForm.open(context.environment, check, alerts, { account: api.account, row })
    },
  },
]
