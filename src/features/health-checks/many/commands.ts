import { isIP } from 'node:net'
import { UserError } from '@signalman/runtime'
import { clip, commandButton, oneLine } from '@signalman/slack'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { slot } from '../../../bot/grammar/slots.ts'
import { ANY_CHECKS, id } from '../../../bot/grammar/vocabulary.ts'
import { readJobBody } from '../../../bot/jobs/job-queue.ts'
import type { CommandContext, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import {
  choiceField,
  type FieldTable,
  flagSpecs,
  numberField,
  parsedTextField,
  readFields,
  textField,
  yesNoField,
} from '../../../bot/typed/fields.ts'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { findCheckId, isPattern } from '../../../domain/find-check.ts'
import { quoted, writePattern } from '../../../domain/quoting.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import { formatList, joinNames } from '../../../domain/wording.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { frequencyField } from '../parse.ts'
import { CHECK_FIELDS, FIELDS, findTargetFault, MAX_PORT } from '../rules/fields.ts'
import type { ChangesDetails, Plan } from '../rules/plan.ts'
import { addRecipient, isMailed, replaceRecipient } from '../rules/recipients.ts'
import type { CheckState } from '../rules/row.ts'
import { formatValue, type Patch, type Settings } from '../rules/settings.ts'
import { CHANGES_KIND } from './job.ts'
import { type Change, findMatching, planChecks } from './plan.ts'
import { apply, type ManyDeps, preview, sendPlan } from './preview.ts'
import { countChecks, homeJobBlocks, jobsView, type OpenJob, textCard } from './views.ts'

/** The settings that `/hc edit` changes in one line. */
const SETTINGS: FieldTable<Patch> = {
  name: textField('name', 'Name'),
  frequency: frequencyField,
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
  protocol: choiceField<string>('protocol', 'Protocol', PROTOCOLS),
  target: textField('target', 'Target', {
    read(typed) {
      const fault = findTargetFault(typed, undefined)
      if (fault) throw new UserError(fault)
      return typed
    },
  }),
  customerId: numberField('customer', 'Customer ID', { min: 1 }),
}

export const EDIT_FLAGS = flagSpecs(SETTINGS)

/** The pattern that was typed, `*` for all checks. Undefined for a single check, by its name or UUID. */
export async function findPattern(
  context: ServiceAccess & Pick<Requester, 'environment'>,
  { all, pattern, check = '' }: Arguments['values'],
): Promise<string | undefined> {
  if (all !== undefined) return '*'
  return pattern ?? ((await isPattern(context, check)) ? check : undefined)
}

const MAX_PATTERN_LENGTH = 100

/** `3 health checks named web-*`. Without a count: `health checks named web-*`, or `all health checks`. */
function describeChecks(pattern: string, count?: number): string {
  if (pattern === '*') return count === undefined ? 'all health checks' : countChecks(count)
  const checks = count === undefined ? 'health checks' : countChecks(count)
  return `${checks} named ${clip(oneLine(pattern), MAX_PATTERN_LENGTH)}`
}

interface Typed {
  readonly verb: string
  /** What it does, before the checks: `Set frequency to 30 s on`. */
  readonly does: string
  readonly pattern: string
  /** What to say if no check is concerned. */
  readonly none?: string
}

/** Previews a change of the checks whose names match. */
async function previewMatching(
  deps: ManyDeps,
  context: CommandContext,
  {
    verb,
    does,
    pattern,
    none = `No health check is named ${clip(oneLine(pattern), MAX_PATTERN_LENGTH)}.`,
  }: Typed,
  toChange: (state: CheckState) => Change | undefined,
) {
  const { healthChecks } = await context.api()
  const { checks, note } = await findMatching(healthChecks, pattern)
  const describe = (count?: number) => `${does} ${describeChecks(pattern, count)}`
  const notes = note === undefined ? [] : [note]
  return previewChecks(deps, context, { verb, describe, none, notes, checks }, toChange)
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
export const readPatch = (flags: Arguments['flags']): Patch => readFields(SETTINGS, flags)

/** `/hc edit shop* --frequency 30`. */
export function previewEdit(deps: ManyDeps, context: CommandContext, pattern: string, set: Patch) {
  if (Object.keys(set).length === 0) throw new UserError(WHAT_CHANGES)
  if (set.name !== undefined)
    throw new UserError('A new name is for one health check. Type its whole name instead of a pattern.')
  return previewMatching(deps, context, { verb: '/hc edit', does: describePatch(set), pattern }, () => ({
    set,
  }))
}

const WHAT_CHANGES = `What should change? Add a setting, such as --frequency 30: ${Object.keys(
  flagSpecs(SETTINGS),
)
  .map((flag) => `--${flag}`)
  .join(', ')}. Or edit a file: export, change, import.`

/** `/hc edit checkout --frequency 30`: one check, without a window. */
export const previewSingleEdit = (deps: ManyDeps, context: CommandContext, uuid: string, set: Patch) =>
  previewSingle(deps, context, { verb: '/hc edit', does: describePatch(set), uuid }, () => ({ set }))

/** Previews a change of one check. */
async function previewSingle(
  deps: ManyDeps,
  context: CommandContext,
  { verb, does, uuid }: Pick<Typed, 'verb' | 'does'> & { readonly uuid: string },
  toChange: (state: CheckState) => Change | undefined,
) {
  const { healthChecks } = await context.api()
  const check = await healthChecks.get(uuid)
  const describe = () => `${does} ${check.name || uuid}`
  return previewChecks(deps, context, { verb, describe, checks: [check] }, toChange)
}

/** `/hc delete shop*`. */
export const previewDeletion = (deps: ManyDeps, context: CommandContext, pattern: string) =>
  previewMatching(deps, context, { verb: '/hc delete', does: 'Delete', pattern }, () => ({ delete: true }))

/** `/hc recipients`: replaces, removes, or adds an address on many checks. */
const recipientsCommand = (deps: ManyDeps): VerbDeclaration => ({
  line: '/hc recipients',
  slots: [slot('address', 'address', { required: true }), ...ANY_CHECKS],
  description:
    'List the health checks that email an address; replace, remove, or add it on many, after a preview',
  needs: 'operator',
  flags: {
    'replace-with': { type: 'value', help: 'The address to email instead', valueName: 'ADDRESS' },
    remove: { type: 'switch', help: 'Stop emailing the address' },
    add: { type: 'switch', help: 'Also email the address' },
  },
  example: 'recipients ann@example.com --replace-with bob@example.com',
  async run(context, { flags, ...typed }) {
    const { values } = typed
    const address = readAddress(values.address, listAlertsOf(values))
    const wanted = readRecipientChange(address, flags)
    const named = values.check ?? values.uuid ?? values.pattern
    if (!wanted && named !== undefined)
      throw new UserError('What should change? Type --add, --remove, or --replace-with.', [
        {
          label: `Email ${address} too`,
          line: `/hc recipients ${quoted(address)} ${writePattern(named)} --add`,
        },
      ])
    if (!wanted) return showMailed(context, address)
    const { flag, toChange, ...does } = wanted
    const about = { verb: '/hc recipients', ...does }
    const pattern = named === undefined ? '*' : await findPattern(context, values)
    if (pattern !== undefined) return previewMatching(deps, context, { ...about, pattern }, toChange)
    const uuid = await findCheckId(context, typed)
    return previewSingle(deps, context, { ...about, uuid }, toChange)
  },
})

/** Offers the alerts of the check that was typed instead of an address. */
const listAlertsOf = ({ check }: Arguments['values']): UserError['suggestions'] =>
  check === undefined || check.includes('@')
    ? []
    : [{ label: `Alerts of ${clip(oneLine(check), 40)}`, line: `/hc alerts ${quoted(check)}` }]

interface RecipientChange extends Pick<Typed, 'does' | 'none'> {
  /** As typed. */
  readonly flag: string
  readonly toChange: (state: CheckState) => Change | undefined
}

/** What to do with an address. Undefined if no flag says so. Throws UserError. */
function readRecipientChange(address: string, flags: Arguments['flags']): RecipientChange | undefined {
  const replacement =
    flags['replace-with'] === undefined ? undefined : readAddress(String(flags['replace-with']))
  const [flag, another] = ['add', 'remove', 'replace-with'].filter((each) => flags[each] !== undefined)
  if (another !== undefined) throw new UserError('Use only one of --add, --remove, and --replace-with.')
  if (flag === undefined) return undefined
  if (flags.add === true)
    return {
      flag: '--add',
      does: `Also email ${address} about`,
      toChange: ({ alerts = [] }) => ({ set: {}, alerts: addRecipient(alerts, address) }),
    }
  return {
    flag: replacement === undefined ? '--remove' : `--replace-with ${quoted(replacement)}`,
    does:
      replacement === undefined
        ? `Stop emailing ${address} about`
        : `Email ${replacement} instead of ${address} about`,
    none: `${address} isn’t among the recipients.`,
    toChange: ({ alerts = [] }) =>
      isMailed(alerts, address)
        ? { set: {}, alerts: replaceRecipient(alerts, address, replacement) }
        : undefined,
  }
}

/** The checks that email an address. */
async function showMailed(context: CommandContext, address: string) {
  const api = await context.api()
  const { checks, note } = await findMatching(api.healthChecks, '*')
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
      ...(mailed.length > 0 ? [] : [`To add it: ${cmd('/hc recipients')} ${quoted(address)} NAME --add`]),
    ],
    ...(mailed.length > 0
      ? [commandButton('Stop these emails', `/hc recipients ${quoted(address)} --remove`)]
      : []),
  )
}

const MAX_NAMED = 40

function readAddress(typed = '', suggestions: UserError['suggestions'] = []): string {
  const { addresses, bad } = parseRecipients(typed)
  const [only, ...others] = addresses
  if (only === undefined || others.length + bad.length > 0)
    throw new UserError('Which address? Type one email address, e.g. name@example.com.', suggestions)
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
