import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { mapInSlices, UserError, yieldWhenDue } from '@signalman/runtime'
import { uuidIn } from '../../../domain/find-check.ts'
import { similarChecks } from '../../../domain/mistyped-check-name.ts'
import { recipientKey } from '../../../domain/recipients.ts'
import { grouped } from '../../../domain/wording.ts'
import type { Alert } from '../../../service/alerts.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { type EveryCheck, everyCheck, LIST_KEEPS_CHANGING, whyIncomplete } from '../every-check.ts'
import {
  alertsUnlessGone,
  LISTING_OUTDATED,
  ListingOutdated,
  readCheck,
  toCurrentCheck,
  undefinedIfGone,
} from '../jobs/read-check.ts'
import { mapConcurrently } from '../jobs/settle-each.ts'
import type { AddressListings } from '../rows/address-listings.ts'
import type { CurrentCheck, Desired, Patch, Step } from '../rules/change.ts'
import type { ManyPlan, PreviewRow } from '../rules/many.ts'
import { type Filter, findSubsidiaries, matches, serviceQuery } from '../rules/matching.ts'
import { type LeftOut, nameKey, startPlan } from '../rules/plan.ts'
import { everyRecipient } from '../rules/recipients.ts'
import { type AddressListing, parseHost, readAddress } from '../rules/server-address.ts'
import { formatTarget } from '../views/check.ts'
import { editWords } from '../views/words.ts'
import { type BulkFilter, type BulkRequest, matchWords, removedAddresses, toPatch } from './parse.ts'

const MAX_CHECKS = 50_000
/** The limit if more than a row of the listing is needed: someone is waiting while they are read one by one. */
const MAX_READ = 10_000
const READ_AT_ONCE = 16

export interface PlanParts {
  readonly listings: AddressListings
}

interface Where {
  readonly workspaceId: string
  readonly now: Date
  api(): Promise<Api>
}

/** Plans the changes. Reads only. Throws UserError if the request has no filter, and ApiError. */
export async function planMany(
  { listings }: PlanParts,
  where: Where,
  request: BulkRequest,
): Promise<ManyPlan> {
  // Changing every check takes an explicit `*`.
  if (Object.keys(request.meant).length === 0)
    throw new UserError(
      'Which health checks? Give a name (* matches anything), or --status, --protocol, --target or --customer.',
    )
  const api = await where.api()
  const { checks: meant, unseen, isIncomplete } = await findMatching(api.healthChecks, request.meant)
  const listing = await listings.read(where, api.account, meant)
  const namesByUuid = new Map(meant.map(({ uuid, name }) => [uuid.toLowerCase(), name]))
  const names = request.meant.names?.map((name) => namesByUuid.get(uuidIn(name) ?? '') ?? name)
  const current = await readCurrent(api, meant, request, listing)
  const taken = new Set(meant.map(nameKey))
  const planning = startPlan(taken, request.to.unknown)
  const rows: PreviewRow[] = []
  const behind: LeftOut[] = []
  for (const [index, check] of meant.entries()) {
    await yieldWhenDue()
    const line = index + 1
    const now = current.get(check.uuid)
    if (now === 'behind') {
      behind.push({ line, name: check.name, says: LISTING_OUTDATED })
      continue
    }
    const desired = desiredFor(request, check, now, line)
    const step = desired && planning.add(desired, now)
    if (step) rows.push(previewRow(step, check, now))
  }
  const { steps, leftOut, ...planned } = planning.end()
  const counted = steps.length + leftOut.length + behind.length + planned.same
  return {
    ...planned,
    ...{ steps, rows, unseen, isIncomplete, listing },
    leftOut: [
      // People know the original, not the name of its copy.
      ...leftOut.map((one) => ({ ...one, name: meant[one.line - 1]?.name ?? one.name })),
      ...behind,
    ],
    which: matchWords({ ...request.meant, names }),
    matched: counted,
    showsAddresses: meant.some(({ httpServerAddress }) => httpServerAddress !== undefined),
    subsidiaries: findSubsidiaries(meant, request.meant.customerId),
    similar: meant.length === 0 ? await findSimilarNames(api.healthChecks, request.meant) : [],
    digest: await digestPlan(steps, rows),
  }
}

/** The desired state of a check; undefined if the request isn't about it. */
function desiredFor(
  { what, to }: BulkRequest,
  check: HealthCheck,
  now: CurrentCheck | undefined,
  line: number,
): Desired | undefined {
  const { uuid } = check
  switch (what) {
    case 'edit':
      return { line, is: 'changed', uuid, set: toPatch(to) }
    case 'delete':
      return { line, is: 'gone', uuid }
    case 'recipients': {
      const { add = [], onlyWhere } = to
      // Nobody knows who a check mailed that was deleted in the meantime.
      if (!now && onlyWhere !== undefined) return undefined
      const alerts = { add, remove: removedAddresses(to), ...(onlyWhere && { onlyWhere }) }
      return { line, is: 'changed', uuid, set: {}, alerts }
    }
    case 'clone': {
      if (!now) return { line, is: 'changed', uuid, set: {} }
      const { fields } = now.state
      const moved: Patch = {
        name: `${fields.name}${to.suffix ?? ''}`,
        ...(to.customerId !== undefined && { customerId: to.customerId }),
      }
      return { line, is: 'new', to: { ...now.state, fields: { ...fields, ...moved } } }
    }
  }
}

function previewRow(step: Step, check: HealthCheck, now: CurrentCheck | undefined): PreviewRow {
  if (step.do === 'delete') return [check.name, formatTarget(check), 'deleted']
  if (step.do === 'create') {
    const { customerId } = step.to.fields
    const moved = customerId === check.customerId ? '' : `, customer ${customerId}`
    return [check.name, formatTarget(check), `${step.name}${moved}`]
  }
  const { was, becomes } = now ? editWords(step, now) : { was: [], becomes: [] }
  return [check.name, was.join(', '), becomes.join(', ')]
}

/** Finds the matching checks. The service's own filter is only a hint, so they are matched here too. */
async function findMatching(
  healthChecks: HealthChecks,
  { names, ...filters }: BulkFilter,
): Promise<{ checks: HealthCheck[] } & Pick<ManyPlan, 'unseen' | 'isIncomplete'>> {
  const found = new Map<string, HealthCheck>()
  let unseen: string | undefined
  let isIncomplete = false
  for (const name of names ?? [undefined]) {
    const some = await searchByName(healthChecks, name, filters)
    for (const check of some.checks) found.set(check.uuid, check)
    unseen ??= whyIncomplete(some)
    isIncomplete ||= some.missing > 0
    if (found.size > MAX_CHECKS) throw new UserError(TOO_MANY)
  }
  return { checks: [...found.values()].sort(byName), unseen, isIncomplete }
}

/** By name for people; the service returns them by UUID. */
const byName = (left: HealthCheck, right: HealthCheck): number =>
  left.name === right.name ? 0 : left.name < right.name ? -1 : 1

async function searchByName(
  healthChecks: HealthChecks,
  name: string | undefined,
  filters: Filter,
): Promise<EveryCheck> {
  const uuid = uuidIn(name)
  const filter = uuid ? filters : { ...filters, ...(name !== undefined && { name }) }
  const some = uuid
    ? await findByUuid(healthChecks, uuid)
    : await everyCheck(healthChecks, undefined, serviceQuery(filter))
  if (!some) throw new UserError(LIST_KEEPS_CHANGING)
  const checks = await mapInSlices(some.checks, (check) => (matches(check, filter) ? [check] : []))
  return { ...some, checks: checks.flat() }
}

const TOO_MANY = `More than ${grouped(MAX_CHECKS)} health checks match, which is the most that can be changed at once. Narrow it down.`

/** The check's row in the listing, which shows more than its details about the server address. */
async function findByUuid(healthChecks: HealthChecks, uuid: string): Promise<EveryCheck> {
  const check = await healthChecks.get(uuid).catch(undefinedIfGone)
  const rows = check && (await everyCheck(healthChecks, undefined, serviceQuery({ name: check.name })))
  const row = rows?.checks.find((one) => one.uuid === uuid)
  return { checks: row ? [row] : check ? [check] : [], unreadable: 0, missing: 0 }
}

/** Suggests similar names if the only typed name matches nothing. */
async function findSimilarNames(healthChecks: HealthChecks, { names = [] }: BulkFilter): Promise<string[]> {
  const [only, ...others] = names
  if (only === undefined || others.length > 0 || uuidIn(only)) return []
  return (await similarChecks(healthChecks, only)).map(({ name }) => name)
}

/**
 * Reads the current state of checks, from their rows if those are enough, or else from their details. Leaves out deleted ones.
 */
async function readCurrent(
  api: Api,
  rows: readonly HealthCheck[],
  request: BulkRequest,
  listing: AddressListing,
): Promise<Map<string, CurrentCheck | 'behind'>> {
  const withAlerts = request.what !== 'edit'
  const needsDetails = (row: HealthCheck): boolean =>
    request.what === 'clone' || rowLacksSetting(request, row, listing)
  const asked = withAlerts ? rows.length : rows.filter(needsDetails).length
  if (asked > MAX_READ)
    throw new UserError(
      `${grouped(asked)} health checks are too many to read one by one; ${grouped(MAX_READ)} are the most. Narrow it down by name or customer.`,
    )
  const read = async (row: HealthCheck): Promise<CurrentCheck | 'behind' | undefined> => {
    if (needsDetails(row)) return readDetails(api, row, { listing, withAlerts })
    const alerts = withAlerts ? await alertsUnlessGone(api, row.uuid) : []
    return alerts && toCurrentCheck(row, readAddress(row, row, listing), alerts)
  }
  const found = await mapConcurrently(rows, async (row) => [row.uuid, await read(row)] as const, READ_AT_ONCE)
  return new Map(found.flatMap(([uuid, now]) => (now ? [[uuid, now]] : [])))
}

/** Whether the row lacks a setting that the request changes, or the server address that the answer is about. */
function rowLacksSetting({ what, to }: BulkRequest, row: HealthCheck, listing: AddressListing): boolean {
  if (what !== 'edit') return false
  // An outdated row could already show the requested address while the check has another one.
  const isAddressSet = to.httpServerAddress !== undefined && row.protocol?.toUpperCase() !== 'TCP'
  const lacksVerify =
    to.verifySsl !== undefined && row.verifySsl === undefined && row.protocol?.toUpperCase() === 'HTTPS'
  const isAnswered = to.unknown !== undefined && to.unknown !== 'leave-out'
  // If the target is an IP address, the details may show whether the server address was set.
  const mayTell = isIP(parseHost(row.target ?? '')) !== 0
  return (
    lacksVerify ||
    isAddressSet ||
    ((isAnswered || mayTell) && readAddress(row, row, listing).is === 'unknown')
  )
}

async function readDetails(
  api: Api,
  row: HealthCheck,
  how: { listing: AddressListing; withAlerts: boolean },
): Promise<CurrentCheck | 'behind' | undefined> {
  try {
    return (await readCheck(api, row.uuid, { ...how, row }))?.now
  } catch (error) {
    if (!(error instanceof ListingOutdated)) throw error
  }
  // The row may have become outdated: read it again.
  return readCheck(api, row.uuid, how).then(
    (found) => found?.now,
    (error: unknown) => {
      if (error instanceof ListingOutdated) return 'behind' as const
      throw error
    },
  )
}

/** Up to five recipients whose address begins with the typed text. Throws UserError and ApiError. */
export async function findAddressesStarting(api: Api, begins: string): Promise<string[]> {
  const { checks } = await findMatching(api.healthChecks, {})
  if (checks.length > MAX_READ)
    throw new UserError(
      `The recipients of ${grouped(checks.length)} health checks are too many to search. Type the whole address.`,
    )
  const lists = await mapConcurrently(
    checks,
    async ({ uuid }) => (await alertsUnlessGone(api, uuid)) ?? [],
    READ_AT_ONCE,
  )
  const all = lists.flatMap((alerts: readonly Alert[]) => everyRecipient(alerts))
  const like = all.filter((address) => address.toLowerCase().startsWith(begins.toLowerCase()))
  return [...new Map(like.map((address) => [recipientKey(address), address])).values()].slice(0, MAX_OFFERED)
}

const MAX_OFFERED = 5

async function digestPlan(steps: readonly Step[], rows: readonly PreviewRow[]): Promise<string> {
  const shown: string[] = []
  for (const [index, step] of steps.entries()) {
    await yieldWhenDue()
    // Ignores which version was read: the preview doesn't show it.
    const { line: _, ...what } = step.do === 'create' ? step : { ...step, seen: undefined }
    shown.push(JSON.stringify([what, rows[index]]))
  }
  return createHash('sha256').update(shown.sort().join('\n')).digest('base64url').slice(0, 16)
}
