import { createHash } from 'node:crypto'
import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { postStep } from '../../../bot/posts/post-step.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { uuidIn } from '../../../domain/find-check.ts'
import { keyOf } from '../../../domain/recipients.ts'
import { grouped } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { areMailed, bodyOf } from '../changes/alert-lists.ts'
import type { Change } from '../changes/change.ts'
import { BULK } from '../changes/changes-job.ts'
import { bodyFrom, differencesOf, editOf, patched } from '../changes/differences.ts'
import { alertsUnlessGone, asListed, listedRow, undefinedIfGone } from '../changes/editable.ts'
import { eachOf } from '../changes/settle-each.ts'
import { type ChangesParts, plannedOf, startChanges, stepsOf } from '../changes/start-changes.ts'
import { saying } from '../changes/views.ts'
import { type EveryCheck, everyCheck, UNSTEADY, whyUnseen } from '../every-check.ts'
import { reportOf } from '../files/report.ts'
import { CHECK_FIELDS, type CheckField, FIELDS } from '../forms/read-fields.ts'
import { targetOf } from '../views/check.ts'
import { type BulkRequest, type Meant, takenOut, whichWords } from './parse.ts'
import { becameWords, previewView, titleOf } from './views.ts'

/** One change, and what it would change, in words. */
interface PlannedBulk {
  line: number
  change: Change
  /** The check, what of it changes, and what becomes of that. */
  row: readonly [name: string, now: string, then: string]
}

export interface BulkPlan {
  changes: PlannedBulk[]
  /** Which are meant, in words: a check that was named by its UUID, by its name. */
  which: string
  /** How many are meant. */
  meant: number
  /** How many of them are so already. */
  same: number
  /** Those that cannot be changed, with the reason. */
  not: { name: string; says: string }[]
  /** Why others may be meant that were not found. */
  unseen: string | undefined
  /** Whether the service lists fewer than it says that there are: nothing is begun on such a list. */
  isShort: boolean
  /** The same for the same changes of the same checks: what is carried out is what was seen. */
  digest: string
}

const MOST = 50_000
/** Recipients of more checks than this cannot be read while somebody waits. */
const MOST_READ = 10_000
const READ_AT_ONCE = 16

/** Shows what would be done. Throws UserError and ApiError. */
export const previewBulk = async (
  context: Pick<CommandContext, 'api' | 'environment'>,
  request: BulkRequest,
): Promise<Message> => previewView(request, await planBulk(await context.api(), request), context.environment)

/** Does what was previewed, as a job; when other checks match than before, or are not what they were, previews it again. */
export async function applyBulk(
  parts: ChangesParts,
  context: CommandContext,
  request: BulkRequest,
  seen: string,
): Promise<Message> {
  const api = await context.api()
  let plan: BulkPlan | undefined
  // Begun again after a crash, the job may run already, and what matches be another number by then.
  const { digest, planned, isShort, which } = await context.keep('plan', async () => {
    plan = await planBulk(api, request)
    return { digest: plan.digest, planned: plannedOf(plan.changes), isShort: plan.isShort, which: plan.which }
  })
  const again = (now: BulkPlan) =>
    previewView(request, now, context.environment, now.digest === seen ? undefined : CHANGED_SINCE)
  if (isShort || digest !== seen || planned.create + planned.edit + planned.delete === 0)
    return again(plan ?? (await planBulk(api, request)))
  const words = { title: titleOf(request, which), became: becameWords(request) }
  const about = { verb: `/hc ${request.what}`, ...words, planned, account: api.account }
  const id = await context.keep('job', () =>
    parts.queue.add(context, { kind: BULK, about, isPrepared: true }),
  )
  // Kept once all are added: a crash in between leaves some of them to a job that is not started.
  const isAdded = await context.keep('steps', async () => {
    plan ??= await planBulk(api, request)
    // It may be other changes by now than those that were seen.
    if (plan.digest !== seen || plan.isShort) return false
    await parts.steps.add(id, stepsOf(plan.changes))
    return true
  })
  if (!isAdded) return again(plan ?? (await planBulk(api, request)))
  return startChanges(parts, context, id)
}

/** Sends the person every row of the preview as a file. Throws UserError and ApiError, and what Slack refuses. */
export async function sendPlan(context: CommandContext, request: BulkRequest): Promise<Message> {
  const { changes, not, which } = await planBulk(await context.api(), request)
  const rows = [
    ...changes.map(({ row }) => row),
    ...not.map(({ name, says }) => [name, '', `Left out: ${says}`]),
  ]
  const title = titleOf(request, which)
  const { userId, environment } = context
  const channelId = await context.keep(
    'place',
    async () => (await (await context.slack()).directChannelOf(userId)) ?? userId,
  )
  const audited = { verb: '/hc bulk-file', object: title, environment }
  const says = saying([`The whole preview is in the file below. ${title}.`])
  await postStep(context, audited, { channelId }, (slack, options) =>
    slack.post({ channelId }, says, options),
  )
  const file = await reportOf({ name: 'preview.csv', title }, ['name', 'now', 'then'], rows)
  const slack = await context.slack()
  // The post has opened it, where there was none.
  const place = channelId === userId ? ((await slack.directChannelOf(userId)) ?? userId) : channelId
  await slack.upload({ channelId: place }, file)
  return saying([`The file with all ${grouped(rows.length)} is in your direct messages with Signalman.`])
}

const CHANGED_SINCE =
  'This is no longer what was shown, so nothing was begun: the health checks have changed since. It would be this now.'

/** What it would take to do this. Reads only. Throws UserError where nothing is meant, and ApiError. */
export async function planBulk(api: Api, request: BulkRequest): Promise<BulkPlan> {
  // Everything there is has to be asked for by `*`.
  if (Object.keys(request.meant).length === 0)
    throw new UserError(
      'Which health checks? Give a name (a * stands for anything), or --status, --protocol, --target or --customer.',
    )
  const { checks: meant, unseen, isShort } = await checksMeant(api.healthChecks, request.meant)
  const called = new Map(meant.map(({ uuid, name }) => [uuid.toLowerCase(), name]))
  const names = request.meant.names?.map((name) => called.get(uuidIn(name) ?? '') ?? name)
  const which = whichWords({ ...request.meant, names })
  const found = { meant: meant.length, unseen, isShort, which }
  const plan: BulkPlan = { ...found, changes: [], same: 0, not: [], digest: '' }
  const alerts = ['recipients', 'clone'].includes(request.what) ? await alertsOf(api, meant) : undefined
  const taken = new Set(meant.map(({ name, customerId }) => `${customerId} ${name.toLowerCase()}`))
  for (const [index, check] of meant.entries()) {
    const planned = plannedFor(request, check, alerts ? alerts.get(check.uuid) : [], taken)
    if ('not' in planned) plan.not.push({ name: check.name, says: planned.not })
    else if ('same' in planned) plan.same += 1
    else if ('change' in planned) plan.changes.push({ line: index + 1, ...planned })
    else plan.meant -= 1
  }
  return { ...plan, digest: digestOf(plan.changes) }
}

async function checksMeant(
  healthChecks: HealthChecks,
  { names, ...filters }: Meant,
): Promise<{ checks: HealthCheck[] } & Pick<BulkPlan, 'unseen' | 'isShort'>> {
  const found = new Map<string, HealthCheck>()
  let unseen: string | undefined
  let isShort = false
  for (const name of names ?? [undefined]) {
    const uuid = uuidIn(name)
    const some = uuid
      ? await oneByUuid(healthChecks, uuid, filters)
      : await everyCheck(healthChecks, undefined, { ...filters, name })
    if (!some) throw new UserError(UNSTEADY)
    for (const check of some.checks) found.set(check.uuid, check)
    unseen ??= whyUnseen(some)
    isShort ||= some.missing > 0
    if (found.size > MOST) throw new UserError(TOO_MANY)
  }
  return { checks: [...found.values()], unseen, isShort }
}

const TOO_MANY = `More than ${grouped(MOST)} health checks match, which is the most that is changed at once. Narrow it down.`

/** Its row in the listing: unlike its details that tells an address that was given from one that was resolved. */
async function oneByUuid(healthChecks: HealthChecks, uuid: string, filters: object): Promise<EveryCheck> {
  const check = await healthChecks.get(uuid).catch(undefinedIfGone)
  const row = check && (await listedRow(healthChecks, check, filters))
  return { checks: row ? [row] : [], unreadable: 0, missing: 0 }
}

/** Those of checks that were deleted since they were listed are undefined. */
async function alertsOf(
  api: Api,
  checks: readonly HealthCheck[],
): Promise<Map<string, readonly Alert[] | undefined>> {
  if (checks.length > MOST_READ)
    throw new UserError(
      `The recipients of ${grouped(checks.length)} health checks are too many to be read at once; ${grouped(MOST_READ)} are the most. Narrow it down by name or customer.`,
    )
  const read = async ({ uuid }: HealthCheck) => [uuid, await alertsUnlessGone(api, uuid)] as const
  return new Map(await eachOf(checks, read, READ_AT_ONCE))
}

/** The addresses, five at most, that begin so among all that are mailed. Throws UserError and ApiError. */
export async function addressesLike(api: Api, begins: string): Promise<string[]> {
  const { checks } = await checksMeant(api.healthChecks, {})
  const all = [...(await alertsOf(api, checks)).values()].flatMap((some = []) =>
    some.flatMap(({ recipients }) => recipients),
  )
  const like = all.filter((address) => address.toLowerCase().startsWith(begins.toLowerCase()))
  return [...new Map(like.map((address) => [keyOf(address), address])).values()].slice(0, MOST_OFFERED)
}

const MOST_OFFERED = 5

type Planned = Omit<PlannedBulk, 'line'> | { same: true } | { not: string } | { other: true }

function plannedFor(
  request: BulkRequest,
  check: HealthCheck,
  alerts: readonly Alert[] | undefined,
  names: ReadonlySet<string>,
): Planned {
  const { uuid, name, httpServerAddress: given } = check
  const { suffix: _, add = [], remove: __, onlyWhere, ...patch } = request.to
  if (!alerts) return onlyWhere === undefined ? { not: 'It was deleted just now.' } : { other: true }
  switch (request.what) {
    case 'edit':
      return edited(check, { fields: patch })
    case 'delete':
      return {
        change: { do: 'delete', uuid, name, ...(given && { given }) },
        row: [name, targetOf(check), 'deleted'],
      }
    case 'clone':
      return copied(request, check, alerts, names)
    case 'recipients':
      if (onlyWhere !== undefined && !areMailed(alerts, onlyWhere)) return { other: true }
      return edited(
        check,
        { alerts: { add, remove: takenOut(request.to), ...(onlyWhere && { onlyWhere }) } },
        alerts,
      )
  }
}

function edited(
  check: HealthCheck,
  wanted: Parameters<typeof differencesOf>[0]['wanted'],
  alerts?: readonly Alert[],
): Planned {
  const { uuid, name, httpServerAddress: given } = check
  const now = { fields: asListed(check).fields, alerts }
  const differences = differencesOf({ now, wanted })
  if (differences.isNone) {
    const [other] = FIELDS.filter(
      (field) => wanted.fields?.[field] != null && !(field in differences.next.fields),
    )
    return other ? { not: notFor(other) } : { same: true }
  }
  if (differences.fault) return { not: differences.fault }
  const edit = editOf({ uuid, name, given }, now, differences)
  return {
    // Who is added or taken out is so of whatever is there by then.
    change: wanted.alerts ? { ...edit, expects: {}, alerts: wanted.alerts } : edit,
    row: [name, differences.was.join(', '), differences.becomes.join(', ')],
  }
}

const notFor = (field: CheckField): string => {
  const { said, only = [] } = CHECK_FIELDS[field]
  return `The ${said} is only for ${only.join(' and ')}.`
}

function copied(
  { to }: BulkRequest,
  check: HealthCheck,
  alerts: readonly Alert[],
  names: ReadonlySet<string>,
): Planned {
  const { fields } = asListed(check)
  const name = `${check.name}${to.suffix ?? ''}`
  const customerId = to.customerId ?? check.customerId
  const body = bodyFrom(patched(fields, { customerId, name }))
  if (!body) return { not: 'The service does not say all of it.' }
  if (names.has(`${customerId} ${name.toLowerCase()}`))
    return { not: 'There is one of the copy’s name already.' }
  if (alerts.some(({ unreadable }) => unreadable)) return { not: 'Some of its alerts cannot be read whole.' }
  const moved = to.customerId === undefined ? '' : `, customer ${customerId}`
  return {
    change: { do: 'create', body, alerts: alerts.map(bodyOf) },
    row: [check.name, targetOf(check), `${name}${moved}`],
  }
}

function digestOf(changes: readonly PlannedBulk[]): string {
  const shown = changes.map(({ change, row }) => JSON.stringify([change, row])).sort()
  return createHash('sha256').update(shown.join('\n')).digest('base64url').slice(0, 16)
}
