import { createHash } from 'node:crypto'
import { mapInSlices, toId, UserError, yieldWhenDue } from '@signalman/runtime'
import type { ServiceAccess } from '../../../bot/routes/command-context.ts'
import { findUuid } from '../../../domain/find-check.ts'
import { findSimilarChecks } from '../../../domain/mistyped-check-name.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import {
  createRowAddressReader,
  findAnswered,
  LISTING_OUTDATED,
  ListingOutdated,
  listAlertsUnlessGone,
  mayDetailsSettle,
  readCheck,
  toCurrentCheck,
  undefinedIfGone,
} from '../jobs/read-check.ts'
import type { ReadContext } from '../jobs/read-for-edit.ts'
import { mapConcurrently } from '../jobs/settle-each.ts'
import { type AllChecks, explainIncomplete, LIST_KEEPS_CHANGING, readAllChecks } from '../read-all-checks.ts'
import type { AddressSource, KnownAddresses } from '../rows/known-addresses.ts'
import type { BulkPlan, PreviewRow } from '../rules/bulk-plan.ts'
import type { Address, CurrentCheck, Desired, Patch, Step } from '../rules/change.ts'
import { type Filter, findSubsidiaries, matchesFilter, toServiceQuery } from '../rules/matching.ts'
import { createPlanner, type LeftOut, nameKey } from '../rules/plan.ts'
import { formatTarget } from '../views/check.ts'
import { describeEdit } from '../views/words.ts'
import {
  type BulkRequest,
  type ChecksFilter,
  describeMatches,
  listRemovedAddresses,
  toPatch,
} from './parse.ts'

const MAX_CHECKS = 50_000
/** The limit if checks have to be read one by one. Lower than MAX_CHECKS, because someone is waiting. */
const MAX_DETAIL_READS = 10_000
const CONCURRENT_READS = 16

export interface PlanDeps {
  readonly knownAddresses: KnownAddresses
}

export type PlanContext = ReadContext & Pick<ServiceAccess, 'api'>

/** Plans the changes without making any. Throws UserError if the request has no filter, and ApiError. */
export async function planBulk(
  { knownAddresses }: PlanDeps,
  context: PlanContext,
  request: BulkRequest,
): Promise<BulkPlan> {
  // Changing every check requires an explicit `*`.
  if (Object.keys(request.filter).length === 0)
    throw new UserError(
      'Which health checks? Give a name (* matches anything), or --status, --protocol, --target or --customer.',
    )
  const api = await context.api()
  const {
    checks: matches,
    incompleteReason,
    isStartBlocked,
  } = await findMatching(api.healthChecks, request.filter)
  const addresses = knownAddresses.in(context)
  const namesByUuid = new Map(matches.map(({ uuid, name }) => [uuid.toLowerCase(), name]))
  const names = request.filter.names?.map((name) => namesByUuid.get(findUuid(name) ?? '') ?? name)
  const currentByUuid = await readCurrent(api, matches, request, addresses)
  const takenNames = new Set(matches.map(nameKey))
  const planner = createPlanner(takenNames)
  const rows: PreviewRow[] = []
  const answered = await findAnswered(addresses, matches)
  const outdated: LeftOut[] = []
  for (const [index, check] of matches.entries()) {
    await yieldWhenDue()
    const line = index + 1
    const current = currentByUuid.get(check.uuid)
    if (current === 'outdated') {
      outdated.push({ line, name: check.name, reason: LISTING_OUTDATED })
      continue
    }
    const desired = toDesired(request, check, current, line)
    const step = desired && planner.add(desired, current)
    if (step) rows.push(buildPreviewRow(step, check, current, answered.has(check.uuid.toLowerCase())))
  }
  const { steps, leftOut, ...planned } = planner.result()
  const unknownAddresses = findUnknown(leftOut, matches, currentByUuid)
  const matchCount = steps.length + leftOut.length + outdated.length + planned.unchangedCount
  return {
    ...planned,
    steps,
    rows,
    incompleteReason,
    isStartBlocked,
    unknownAddresses,
    addressDigest: digest(unknownAddresses.map((check) => JSON.stringify(check))),
    leftOut: [
      // For a copy, shows the name of the original, which people recognize.
      ...leftOut.map((row) => {
        const check = matches[row.line - 1]
        return { ...row, name: check?.name ?? row.name, uuid: check?.uuid }
      }),
      ...outdated,
    ],
    matchText: describeMatches({ ...request.filter, names }),
    matchCount,
    subsidiaries: findSubsidiaries(matches, request.filter.customerId),
    similarNames: matches.length === 0 ? await findSimilarNames(api.healthChecks, request.filter) : [],
    digest: await digestPlan(steps, rows),
  }
}

/** The desired state of a check; undefined if the request doesn't affect it. */
function toDesired(
  { action, changes }: BulkRequest,
  check: HealthCheck,
  current: CurrentCheck | undefined,
  line: number,
): Desired | undefined {
  const { uuid } = check
  switch (action) {
    case 'edit':
      return { line, is: 'changed', uuid, set: toPatch(changes) }
    case 'delete':
      return { line, is: 'gone', uuid }
    case 'recipients': {
      const { add = [], onlyWhere } = changes
      // The check was deleted in the meantime, so its recipients are unknown.
      if (!current && onlyWhere !== undefined) return undefined
      const alerts = { add, remove: listRemovedAddresses(changes), ...(onlyWhere && { onlyWhere }) }
      return { line, is: 'changed', uuid, set: {}, alerts }
    }
    case 'clone': {
      // The check was deleted in the meantime. The plan leaves out a change of a deleted check, and says why.
      if (!current) return { line, is: 'changed', uuid, set: {} }
      const { fields } = current.state
      const copyChanges: Patch = {
        name: `${fields.name}${changes.suffix ?? ''}`,
        ...(changes.customerId !== undefined && { customerId: changes.customerId }),
      }
      return { line, is: 'new', to: { ...current.state, fields: { ...fields, ...copyChanges } } }
    }
  }
}

/** The left out checks whose server address a person has to settle. */
function findUnknown(
  leftOut: readonly LeftOut[],
  matches: readonly HealthCheck[],
  currentByUuid: ReadonlyMap<string, CurrentCheck | 'outdated'>,
): BulkPlan['unknownAddresses'] {
  return leftOut.flatMap(({ line, needsAddress }) => {
    const current = needsAddress && currentByUuid.get(matches[line - 1]?.uuid ?? '')
    return current && current !== 'outdated' ? [{ uuid: current.uuid, modifiedAt: current.modifiedAt }] : []
  })
}

function buildPreviewRow(
  step: Step,
  check: HealthCheck,
  current: CurrentCheck | undefined,
  isAnswered: boolean,
): PreviewRow {
  if (step.do === 'delete') return [check.name, formatTarget(check), 'deleted']
  if (step.do === 'create') {
    const { customerId } = step.to.fields
    const customerText = customerId === check.customerId ? '' : `, customer ${customerId}`
    return [check.name, formatTarget(check), `${step.name}${customerText}`]
  }
  const { before, after } = current ? describeEdit(step, current, { isAnswered }) : { before: [], after: [] }
  return [check.name, before.join(', '), after.join(', ')]
}

/** Finds the matching checks. Filters them here too, because the service's own filter may return too many. */
async function findMatching(
  healthChecks: HealthChecks,
  { names, ...filters }: ChecksFilter,
): Promise<{ checks: HealthCheck[] } & Pick<BulkPlan, 'incompleteReason' | 'isStartBlocked'>> {
  const found = new Map<string, HealthCheck>()
  let incompleteReason: string | undefined
  let isStartBlocked = false
  for (const name of names ?? [undefined]) {
    const search = await searchByName(healthChecks, name, filters)
    for (const check of search.checks) found.set(check.uuid, check)
    incompleteReason ??= explainIncomplete(search)
    isStartBlocked ||= search.missing > 0
    if (found.size > MAX_CHECKS) throw new UserError(TOO_MANY_CHECKS)
  }
  return { checks: [...found.values()].sort(byName), incompleteReason, isStartBlocked }
}

/** Sorts by name, as people expect. The service returns checks by UUID. */
function byName(left: HealthCheck, right: HealthCheck): number {
  if (left.name === right.name) return 0
  return left.name < right.name ? -1 : 1
}

async function searchByName(
  healthChecks: HealthChecks,
  name: string | undefined,
  filters: Filter,
): Promise<AllChecks> {
  const uuid = findUuid(name)
  const filter = uuid ? filters : { ...filters, ...(name !== undefined && { name }) }
  const result = uuid
    ? await findByUuid(healthChecks, uuid)
    : await readAllChecks(healthChecks, undefined, toServiceQuery(filter))
  if (!result) throw new UserError(LIST_KEEPS_CHANGING)
  const checks = await mapInSlices(result.checks, (check) => (matchesFilter(check, filter) ? [check] : []))
  return { ...result, checks: checks.flat() }
}

const TOO_MANY_CHECKS = `More than ${formatCount(MAX_CHECKS)} health checks match, which is the limit for one change. Narrow them down.`

/** Finds a check by its UUID. Returns its row in the listing if possible, which may say more about the server address than its details. */
async function findByUuid(healthChecks: HealthChecks, uuid: string): Promise<AllChecks> {
  const check = await healthChecks.get(uuid).catch(undefinedIfGone)
  const rows = check && (await readAllChecks(healthChecks, undefined, toServiceQuery({ name: check.name })))
  const row = rows?.checks.find((check) => check.uuid === uuid)
  const found = row ?? check
  return { checks: found ? [found] : [], unreadable: 0, missing: 0 }
}

/** Suggests similar names for a name that matches nothing. Returns none if several names were typed. */
async function findSimilarNames(healthChecks: HealthChecks, { names = [] }: ChecksFilter): Promise<string[]> {
  const [only, ...others] = names
  if (only === undefined || others.length > 0 || findUuid(only)) return []
  return (await findSimilarChecks(healthChecks, only)).map(({ name }) => name)
}

/**
 * Reads the current state of the checks: from their rows in the listing if that is enough, otherwise from their details. Omits
 * deleted checks.
 */
async function readCurrent(
  api: Api,
  rows: readonly HealthCheck[],
  request: BulkRequest,
  addresses: AddressSource,
): Promise<Map<string, CurrentCheck | 'outdated'>> {
  const withAlerts = request.action !== 'edit'
  const readRowAddress = await createRowAddressReader(addresses, rows)
  const needsDetails = (row: HealthCheck): boolean =>
    request.action === 'clone' || rowLacksSetting(request, row, readRowAddress)
  const readCount = withAlerts ? rows.length : rows.filter(needsDetails).length
  if (readCount > MAX_DETAIL_READS)
    throw new UserError(
      `${formatCount(readCount)} health checks are too many to read one by one. The limit is ${formatCount(MAX_DETAIL_READS)}. Narrow it down by name or customer.`,
    )
  const readOne = async (row: HealthCheck): Promise<CurrentCheck | 'outdated' | undefined> => {
    if (needsDetails(row)) return readDetails(api, row, { addresses, withAlerts })
    const alerts = withAlerts ? await listAlertsUnlessGone(api, row.uuid) : []
    return alerts && toCurrentCheck(row, readRowAddress(row), alerts)
  }
  const found = await mapConcurrently(
    rows,
    async (row) => [row.uuid, await readOne(row)] as const,
    CONCURRENT_READS,
  )
  return new Map(found.flatMap(([uuid, current]) => (current ? [[uuid, current]] : [])))
}

/** Whether the row lacks a setting that the edit changes, or doesn't show that the check connects to the IP address in its target. */
function rowLacksSetting(
  { action, changes }: BulkRequest,
  row: HealthCheck,
  readRowAddress: (row: HealthCheck) => Address,
): boolean {
  if (action !== 'edit') return false
  // If the edit sets an address, the row isn't enough: an outdated row could already show that address while the check has another.
  const isAddressSet = changes.httpServerAddress !== undefined && row.protocol?.toUpperCase() !== 'TCP'
  const lacksVerify =
    changes.verifySsl !== undefined && row.verifySsl === undefined && row.protocol?.toUpperCase() === 'HTTPS'
  return lacksVerify || isAddressSet || mayDetailsSettle(row, readRowAddress(row))
}

async function readDetails(
  api: Api,
  row: HealthCheck,
  options: { addresses: AddressSource; withAlerts: boolean },
): Promise<CurrentCheck | 'outdated' | undefined> {
  try {
    return (await readCheck(api, row.uuid, { ...options, row }))?.current
  } catch (error) {
    if (!(error instanceof ListingOutdated)) throw error
  }
  // The row may have become outdated: read it again.
  return readCheck(api, row.uuid, options).then(
    (found) => found?.current,
    (error: unknown) => {
      if (error instanceof ListingOutdated) return 'outdated' as const
      throw error
    },
  )
}

/** Hashes what a preview shows, to detect whether the plan has changed by the time someone confirms it. */
async function digestPlan(steps: readonly Step[], rows: readonly PreviewRow[]): Promise<string> {
  const parts: string[] = []
  for (const [index, step] of steps.entries()) {
    await yieldWhenDue()
    // Leaves out which version was read, because the preview doesn't show it.
    const { line: _, ...content } = step.do === 'create' ? step : { ...step, seen: undefined }
    parts.push(JSON.stringify([content, rows[index]]))
  }
  return digest(parts)
}

const digest = (parts: readonly string[]): string =>
  toId(createHash('sha256').update(parts.toSorted().join('\n')).digest())
