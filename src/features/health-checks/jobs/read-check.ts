import { isIP } from 'node:net'
import { UserError } from '@signalman/runtime'
import type { Alert } from '../../../service/alerts.ts'
import { isNotFound } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { requireAllChecks } from '../read-all-checks.ts'
import type { AddressSource } from '../rows/known-addresses.ts'
import type { Address, CurrentCheck, Lookup, SeenVersion, StepRecord } from '../rules/change.ts'
import { toAlertBody } from '../rules/recipients.ts'
import { getVersion, parseHost, readAddress, toFields } from '../rules/server-address.ts'

export const LISTING_OUTDATED = 'The service’s list of health checks is out of date. Try again in a minute.'

/** Thrown if the listing shows an older version of a check than the check's details. */
export class ListingOutdated extends UserError {
  override readonly name = 'ListingOutdated'
  constructor() {
    super(LISTING_OUTDATED)
  }
}

/** The current state of a check, and its alerts with their IDs. */
export interface ReadCheck {
  readonly current: CurrentCheck
  readonly details: HealthCheck
  readonly alerts: readonly Alert[]
}

interface ReadOptions {
  readonly addresses: AddressSource
  /** The version of the check that the preview showed, and its address. */
  readonly seen?: SeenVersion | undefined
  /** False if only the recipients change. */
  readonly needsAddress?: boolean
  readonly withAlerts?: boolean
  /** The check's row in the listing, if already read. */
  readonly row?: HealthCheck | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads a check from its details; undefined if it was deleted. Throws ApiError and ListingOutdated. */
export async function readCheck(
  api: Api,
  uuid: string,
  options: ReadOptions,
): Promise<ReadCheck | undefined> {
  const { withAlerts = false, needsAddress = true, signal } = options
  const readingAlerts = withAlerts ? api.alerts.list(uuid, signal) : Promise.resolve([])
  // Prevents an unhandled rejection if the check turns out to be deleted.
  readingAlerts.catch(() => undefined)
  const details = await api.healthChecks.get(uuid, signal).catch(undefinedIfGone)
  if (!details) return undefined
  const address = needsAddress
    ? await readServerAddress(api.healthChecks, details, options)
    : readAddress(details, { listShows: 'none' })
  const alerts = await readingAlerts
  return { current: toCurrentCheck(details, address, alerts), details, alerts }
}

export const toCurrentCheck = (
  check: HealthCheck,
  address: Address,
  alerts: readonly Alert[],
): CurrentCheck => ({
  uuid: check.uuid,
  modifiedAt: getVersion(check),
  state: {
    fields: toFields(check, address),
    alerts: alerts.map(toAlertBody),
    ...(alerts.some(({ unreadable }) => unreadable) && { hasUnreadable: true }),
  },
})

async function readServerAddress(
  healthChecks: HealthChecks,
  details: HealthCheck,
  { seen, signal, addresses, ...options }: ReadOptions,
): Promise<Address> {
  const version = getVersion(details)
  // If the check hasn't been modified since the preview, the address that the preview read is still valid.
  const isSameVersion = seen !== undefined && version !== undefined && seen.modifiedAt === version
  if (isSameVersion && seen.address.is !== 'unknown') return seen.address
  const { listShows } = addresses
  if (listShows !== 'given') {
    const known = (await addresses.find([details.uuid])).get(details.uuid.toLowerCase())
    return readAddress(details, { listShows, known })
  }
  const withoutRow = readAddress(details, { listShows })
  if (withoutRow.is !== 'unknown' || version === undefined) return withoutRow
  const row = options.row ?? (await findRow(healthChecks, details, signal))
  if (!row || getVersion(row) !== version) throw new ListingOutdated()
  return readAddress(details, { listShows, row })
}

/**
 * Returns the address of a row in the listing, without reading the check's details. Asks for what is known about all rows at once.
 * A row may show no address, or an older version of the check than its details.
 */
export async function createRowAddressReader(
  addresses: AddressSource,
  rows: readonly HealthCheck[],
): Promise<(row: HealthCheck) => Address> {
  const { listShows } = addresses
  const known = await addresses.find(rows.map(({ uuid }) => uuid))
  return (row) => readAddress(row, { listShows, row, known: known.get(row.uuid.toLowerCase()) })
}

/**
 * Whether the details of a check may settle a server address that its row leaves unknown: if the target is an IP address, they say
 * whether the service connects to it.
 */
export const mayDetailsSettle = ({ target = '' }: HealthCheck, address: Address): boolean =>
  address.is === 'unknown' && isIP(parseHost(target)) !== 0

/** The checks whose known address is a person's answer. A preview shows it, because it may not be true. */
export async function findAnswered(
  addresses: AddressSource,
  rows: readonly HealthCheck[],
): Promise<ReadonlySet<string>> {
  const known = await addresses.find(rows.map(({ uuid }) => uuid))
  return new Set([...known].flatMap(([uuid, { isAnswer }]) => (isAnswer ? [uuid] : [])))
}

/** Finds a check's row in the listing. Throws ApiError. */
async function findRow(
  healthChecks: HealthChecks,
  { uuid, name, customerId, target }: HealthCheck,
  signal?: AbortSignal,
): Promise<HealthCheck | undefined> {
  // A `*` in the filter is a wildcard, and the service may reject too many of them.
  const query = { ...(name.includes('*') ? { target } : { name }), customerId, sort: 'uuid' as const }
  for await (const page of healthChecks.listAll(query, { signal })) {
    const row = page.results.find((check) => check.uuid === uuid)
    if (row) return row
  }
  return undefined
}

export type AlertsByCheck = ReadonlyMap<string, readonly Alert[]>

/**
 * Reads the current state of a step's check. For a creation, reads the checks with the same name, because one of them may be the
 * created check. Throws ApiError and ListingOutdated.
 */
export async function lookUpStep(
  api: Api,
  { step, uuid: createdUuid }: StepRecord,
  { addresses, signal }: Pick<ReadOptions, 'addresses' | 'signal'>,
): Promise<{ lookup: Lookup; alerts: AlertsByCheck }> {
  if (step.do !== 'create') {
    const isEdit = step.do === 'edit'
    const found = await readCheck(api, step.uuid, {
      addresses,
      signal,
      seen: step.seen,
      needsAddress: !isEdit || Object.keys(step.set).length > 0,
      withAlerts: !isEdit || step.alerts !== undefined,
    })
    return {
      lookup: { current: found?.current, namesakes: [] },
      alerts: groupAlertsByCheck(found ? [found] : []),
    }
  }
  const options = { addresses, signal, withAlerts: true }
  if (createdUuid !== undefined) {
    const created = await readCheck(api, createdUuid, options)
    return {
      lookup: { current: created?.current, namesakes: [] },
      alerts: groupAlertsByCheck(created ? [created] : []),
    }
  }
  const rows = await findNamesakes(api.healthChecks, step.to.fields, signal)
  const found: ReadCheck[] = []
  for (const row of rows.slice(0, MAX_NAMESAKES)) {
    const namesake = await readCheck(api, row.uuid, { ...options, row })
    if (namesake) found.push(namesake)
  }
  return {
    lookup: { current: undefined, namesakes: found.map(({ current }) => current) },
    alerts: groupAlertsByCheck(found),
  }
}

const groupAlertsByCheck = (checks: readonly ReadCheck[]): AlertsByCheck =>
  new Map(checks.map(({ current, alerts }) => [current.uuid, alerts]))

/** More than enough, because names are unique per customer. */
const MAX_NAMESAKES = 5

/** Finds the checks with the same name and customer. Throws ApiError. */
async function findNamesakes(
  healthChecks: HealthChecks,
  {
    name = '',
    target,
    customerId,
  }: { name?: string | undefined; target?: string | undefined; customerId?: number | undefined },
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  const checks = await requireAllChecks(healthChecks, query, signal)
  return checks.filter(
    (check) => check.name.toLowerCase() === name.toLowerCase() && check.customerId === customerId,
  )
}

/** The alerts of a check; undefined if the check was deleted. Throws ApiError. */
export async function listAlertsUnlessGone(
  { alerts, healthChecks }: Api,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly Alert[] | undefined> {
  try {
    return await alerts.list(uuid, signal)
  } catch (error) {
    undefinedIfGone(error)
    // A 404 for the alerts doesn't prove that the check was deleted.
    if (await healthChecks.get(uuid, signal).catch(undefinedIfGone)) throw error
    return undefined
  }
}

/** For `catch`: turns the service's 404 into undefined, and rethrows any other error. */
export function undefinedIfGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}
