import { isIP } from 'node:net'
import { UserError } from '@signalman/runtime'
import { clip, commandButton, oneLine } from '@signalman/slack'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { slot } from '../../../bot/grammar/slots.ts'
import { id } from '../../../bot/grammar/vocabulary.ts'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import {
  choiceField,
  type FieldTable,
  flagSpecs,
  numberField,
  parsedTextField,
  readFields,
  textField,
  writeFields,
  yesNoField,
} from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import { formatList, joinNames } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { describeFilters, SERVICE_FILTERS } from '../parse.ts'
import { CHECK_FIELDS, FIELDS, findTargetFault, MAX_PORT, readSeconds } from '../rules/fields.ts'
import type { ServiceFilters } from '../rules/listing.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { addRecipient, isMailed, replaceRecipient } from '../rules/recipients.ts'
import type { CheckState } from '../rules/row.ts'
import { formatValue, type Patch, type Settings } from '../rules/settings.ts'
import { CHANGES_KIND } from './job.ts'
import { type Change, findMatching, planChecks } from './plan.ts'
import { apply, type ManyDeps, preview, sendPlan } from './preview.ts'
import { countChecks, homeJobBlocks, jobsView, type OpenJob, textCard } from './views.ts'

/** The settings that `/hc edit` changes on many checks. No flag has the name of a filter's flag. */
const SETTINGS: FieldTable<Patch> = {
  name: textField('set-name', 'New name'),
  frequency: parsedTextField<number>('frequency', 'Time between checks', {
    hint: 'Such as 60 (seconds), 90s, or 5min.',
    valueName: 'N',
    read(typed) {
      const seconds = readSeconds(typed)
      if (typeof seconds === 'string') throw new UserError(seconds)
      return seconds
    },
    write: (seconds) => `${seconds}s`,
  }),
  port: numberField('port', 'Port', { min: 1, max: MAX_PORT }),
  verifySsl: yesNoField('verify-ssl', 'Verify the SSL/TLS certificate', {}),
  httpServerAddress: parsedTextField<string | null>('server-address', 'Server address', {
    hint: 'An IP address, or “resolve” to resolve the domain in the target.',
    read(typed) {
      if (typed === 'resolve') return null
      if (isIP(typed) === 0) throw new UserError('must be an IPv4 or IPv6 address, or `resolve`.')
      return typed
    },
    write: (address) => address ?? 'resolve',
  }),
  protocol: choiceField<string>('set-protocol', 'New protocol', PROTOCOLS),
  target: textField('set-target', 'New target', {
    read(typed) {
      const fault = findTargetFault(typed, undefined)
      if (fault) throw new UserError(fault)
      return typed
    },
  }),
  customerId: numberField('set-customer', 'New customer ID', { min: 1 }),
}

export const EDIT_FLAGS = { ...flagSpecs(SERVICE_FILTERS), ...flagSpecs(SETTINGS) }

/** The checks that were typed. Changing all of them takes a `*` or the word “all”. Throws UserError. */
function readFilter({ values, flags }: Arguments): ServiceFilters {
  const all = values.all === undefined ? undefined : '*'
  const name = typeof flags.name === 'string' ? flags.name : (values.check ?? values.pattern ?? all)
  const filter = { ...readFields(SERVICE_FILTERS, flags), ...(name !== undefined && { name }) }
  if (Object.keys(filter).length > 0) return filter
  throw new UserError(
    'Which health checks? Give a name (* matches anything), or --status, --protocol, --target or --customer.',
  )
}

const MAX_FILTER_LENGTH = 100

/** `3 health checks named web-* (down)`. Without a count: `health checks named web-* (down)`, or `all health checks`. */
function describeChecks({ name = '*', ...others }: ServiceFilters, count?: number): string {
  const filters = describeFilters(others)
  const checks = [
    count === undefined ? 'health checks' : countChecks(count),
    name !== '*' && `named ${clip(oneLine(name), MAX_FILTER_LENGTH)}`,
    filters && `(${clip(oneLine(filters), MAX_FILTER_LENGTH)})`,
  ].filter(Boolean)
  return `${count === undefined && checks.length === 1 ? 'all ' : ''}${checks.join(' ')}`
}

const SUBSIDIARIES = 'This includes the customer’s subsidiaries. To leave them out, add --no-subsidiaries.'

interface Typed {
  readonly verb: string
  /** What it does, before the checks: `Set frequency to 30 s on`. */
  readonly does: string
  readonly filter: ServiceFilters
  /** What to say if no check is concerned. */
  readonly none?: string
}

/** Previews a change of the checks that match. */
async function previewMatching(
  deps: ManyDeps,
  context: CommandContext,
  { verb, does, filter, none = `No health check matches: ${describeFilters(filter)}.` }: Typed,
  toChange: (state: CheckState) => Change | undefined,
) {
  const { healthChecks } = await context.api()
  const { checks, note } = await findMatching(healthChecks, filter)
  const takesSubsidiaries = filter.customerId !== undefined && filter.includeSubsidiaries !== false
  const notes = [note, takesSubsidiaries && checks.length > 0 && SUBSIDIARIES].filter(
    (each) => typeof each === 'string',
  )
  return previewChecks(
    deps,
    context,
    { verb, describe: (count) => `${does} ${describeChecks(filter, count)}`, none, notes, checks },
    toChange,
  )
}

async function previewChecks(
  deps: ManyDeps,
  context: CommandContext,
  {
    checks,
    describe,
    ...about
  }: Pick<Plan, 'verb' | 'notes' | 'none'> & {
    checks: readonly HealthCheck[]
    /** What it does, with how many checks it changes if that's known. */
    describe: (count?: number) => string
  },
  toChange: (state: CheckState) => Change | undefined,
) {
  const api = await context.api()
  const planned = await planChecks(api, checks, toChange, { withAlerts: about.verb !== '/hc edit' })
  const texts = { title: describe(), question: describe(planned.rows.length) }
  return preview(deps, context, { ...about, ...texts, account: api.account, ...planned })
}

/** `Set frequency to 30 s and server address to the one from DNS on`. */
function describePatch(set: Patch): string {
  const settings = FIELDS.flatMap((field) => {
    if (set[field] === undefined) return []
    const { label } = CHECK_FIELDS[field]
    if (set[field] === null) return [`${label} to the one from DNS`]
    return [
      `${label} to ${field === 'frequency' ? `${set.frequency} s` : formatValue(field, set as Settings)}`,
    ]
  })
  return `Set ${joinNames(settings)} on`
}

/** The settings that `/hc edit` was typed with. Empty if there are none. */
export const readPatch = ({ flags }: Pick<Arguments, 'flags'>): Patch => readFields(SETTINGS, flags)

/** The flags of these settings, as typed. */
export const writePatch = (set: Patch): string => writeFields(SETTINGS, set).join(' ')

/** `/hc edit shop* --frequency 30`. */
export function previewEdit(deps: ManyDeps, context: CommandContext, args: Arguments) {
  const set = readPatch(args)
  if (Object.keys(set).length === 0) throw new UserError(WHAT_CHANGES)
  const about = { verb: '/hc edit', does: describePatch(set), filter: readFilter(args) }
  return previewMatching(deps, context, about, () => ({ set }))
}

const WHAT_CHANGES =
  'What should change? Add a setting, such as --frequency 30 or --set-target; --target, --protocol, and the like only say which health checks. Or edit a file: export, change, import.'

/** `/hc edit checkout --frequency 30`: one check, without a window. */
export async function previewSingleEdit(deps: ManyDeps, context: CommandContext, uuid: string, set: Patch) {
  const { healthChecks } = await context.api()
  const check = await healthChecks.get(uuid)
  const describe = () => `${describePatch(set)} ${check.name || uuid}`
  return previewChecks(deps, context, { verb: '/hc edit', describe, checks: [check] }, () => ({ set }))
}

/** `/hc delete shop*`. */
export const previewDeletion = (deps: ManyDeps, context: CommandContext, args: Arguments) =>
  previewMatching(deps, context, { verb: '/hc delete', does: 'Delete', filter: readFilter(args) }, () => ({
    delete: true,
  }))

/** `/hc recipients`: replaces, removes, or adds an address on many checks. */
const recipientsCommand = (deps: ManyDeps): VerbDeclaration => ({
  line: '/hc recipients',
  slots: [slot('address', 'address', { required: true })],
  description:
    'List the health checks that email an address; replace, remove, or add it on many, after a preview',
  needs: 'operator',
  flags: {
    ...flagSpecs(SERVICE_FILTERS),
    'replace-with': { type: 'value', help: 'The address to email instead', valueName: 'ADDRESS' },
    remove: { type: 'switch', help: 'Stop emailing the address' },
    add: { type: 'switch', help: 'Also email the address' },
  },
  example: 'recipients ann@example.com --replace-with bob@example.com',
  run(context, args) {
    const { flags, values } = args
    const address = readAddress(values.address)
    const replacement =
      flags['replace-with'] === undefined ? undefined : readAddress(String(flags['replace-with']))
    const isAdded = flags.add === true
    if (Number(isAdded) + Number(flags.remove === true) + Number(replacement !== undefined) > 1)
      throw new UserError('Use only one of --add, --remove, and --replace-with.')
    if (!isAdded && !replacement && flags.remove !== true) return showMailed(context, address, args)
    const does = isAdded
      ? `Also email ${address} about`
      : replacement
        ? `Email ${replacement} instead of ${address} about`
        : `Stop emailing ${address} about`
    const filter = { name: '*', ...readFields(SERVICE_FILTERS, flags) }
    const none = isAdded ? undefined : `No health check emails ${address}.`
    const about = { verb: '/hc recipients', does, filter, ...(none && { none }) }
    return previewMatching(deps, context, about, ({ alerts = [] }) => {
      if (isAdded) return { set: {}, alerts: addRecipient(alerts, address) }
      return isMailed(alerts, address)
        ? { set: {}, alerts: replaceRecipient(alerts, address, replacement) }
        : undefined
    })
  },
})

/** The checks that email an address. */
async function showMailed(context: CommandContext, address: string, { flags }: Arguments) {
  const api = await context.api()
  const filter = { name: '*', ...readFields(SERVICE_FILTERS, flags) }
  const { checks, note } = await findMatching(api.healthChecks, filter)
  const mailed: string[] = []
  await planChecks(api, checks, ({ settings, alerts = [] }) => {
    if (isMailed(alerts, address)) mailed.push(settings.name ?? '')
    return undefined
  })
  const names = formatList(mailed, MAX_NAMED, (name) => clip(oneLine(name), 60))
  return textCard(
    [
      `${address} gets emails about ${countChecks(mailed.length)}${environmentSuffix(context.environment)}.`,
      ...[names, note ?? ''].filter(Boolean),
    ],
    ...(mailed.length > 0
      ? [commandButton('Stop these emails', `/hc recipients ${quoted(address)} --remove`)]
      : []),
  )
}

const MAX_NAMED = 40

function readAddress(typed = ''): string {
  const { addresses, bad } = parseRecipients(typed)
  const [only, ...others] = addresses
  if (only === undefined || others.length + bad.length > 0)
    throw new UserError('Which address? Type one email address, e.g. name@example.com.')
  return only
}

async function listOpenJobs({ queue, steps }: ManyDeps, context: Requester, of?: string): Promise<OpenJob[]> {
  const jobs = await queue.listOpen(context, [CHANGES_KIND])
  const open = jobs.map(async (job): Promise<OpenJob> => {
    const { caller, environment, details } = readJobBody(job)
    // Cast, because only `apply` stores these.
    const { title } = details as ChangesDetails
    return { id: job.id, userId: caller.userId, title, environment, counts: await steps.countByState(job.id) }
  })
  return (await Promise.all(open)).filter(({ userId }) => of === undefined || userId === of)
}

async function stopJob({ queue }: ManyDeps, context: CommandContext, jobId: string) {
  const job = await queue.find(context, [CHANGES_KIND], jobId)
  if (!job) throw new UserError('This change is no longer stored.')
  const change = { verb: '/hc job-stop', object: `job ${jobId}`, isRepeatable: true }
  const result = await context.change(change, () => queue.stop(context, job))
  if (result === 'over') throw new UserError('This has already ended.')
  return textCard([
    result === 'asked'
      ? 'Stopping after the current changes. Earlier changes stay.'
      : 'Stopped before it started.',
  ])
}

export const manyCommands = (deps: ManyDeps): VerbDeclaration[] => [
  recipientsCommand(deps),
  {
    line: '/hc apply',
    slots: [id('plan', 'PLAN')],
    description: 'Apply a change after its preview',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { plan = '' } }) => apply(deps, context, plan),
  },
  {
    line: '/hc preview-file',
    slots: [id('plan', 'PLAN')],
    description: 'Send a whole preview as a file',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { plan = '' } }) => sendPlan(deps, context, plan),
  },
  {
    line: '/hc jobs',
    hidden: true,
    description: 'List running changes of many health checks',
    needs: 'operator',
    run: async (context) => jobsView(await listOpenJobs(deps, context), context.now),
  },
  {
    line: '/hc job-stop',
    slots: [id('job', 'JOB')],
    description: 'Stop a change of many health checks',
    needs: 'operator',
    isAct: true,
    hidden: true,
    run: (context, { values: { job = '' } }) => stopJob(deps, context, job),
  },
]

/** App Home shows people their own running jobs. */
export const homeJobs = (deps: ManyDeps): HomeSection => ({
  group: 'for you',
  section: async (context) => homeJobBlocks(await listOpenJobs(deps, context, context.userId)),
})
