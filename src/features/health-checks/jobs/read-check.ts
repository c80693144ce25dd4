import type { Alert } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { allChecks } from '../every-check.ts'
import type { Address, CurrentCheck, LookedUp, Seen, StepRecord } from '../rules/change.ts'
import { toAlertBody } from '../rules/recipients.ts'
import { type AddressListing, readAddress, toFields } from '../rules/server-address.ts'

/** The listing shows an older version of a check than its details. */
export class ListingOutdated extends Error {
  override readonly name = 'ListingBehind'
  constructor() {
    super('The list of health checks is behind.')
  }
}

export const LISTING_OUTDATED = 'The list of health checks is behind. Try again in a minute.'

/** The current state of a check, and its alerts with their IDs. */
export interface ReadCheck {
  readonly now: CurrentCheck
  readonly details: HealthCheck
  readonly alerts: readonly Alert[]
}

interface ReadOptions {
  /** May still be loading. Only the server address waits for it. */
  readonly listing: AddressListing | Promise<AddressListing>
  /** The version that was read before, and its address. */
  readonly seen?: Seen | undefined
  /** False if only its recipients change. */
  readonly needsAddress?: boolean
  readonly withAlerts?: boolean
  /** Its row in the listing, if already read. */
  readonly row?: HealthCheck | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads a check from its details; undefined if it was deleted. Throws ApiError and ListingBehind. */
export async function readCheck(api: Api, uuid: string, how: ReadOptions): Promise<ReadCheck | undefined> {
  const { withAlerts = false, needsAddress = true, signal } = how
  const reading = withAlerts ? api.alerts.list(uuid, signal) : Promise.resolve([])
  // Prevents an unhandled rejection if the check turns out to be deleted.
  reading.catch(() => undefined)
  const details = await api.healthChecks.get(uuid, signal).catch(undefinedIfGone)
  if (!details) return undefined
  const address = needsAddress
    ? await readServerAddress(api.healthChecks, details, how)
    : readAddress(details, undefined, 'unclear')
  const alerts = await reading
  return { now: toCurrentCheck(details, address, alerts), details, alerts }
}

export const toCurrentCheck = (
  check: HealthCheck,
  address: Address,
  alerts: readonly Alert[],
): CurrentCheck => ({
  uuid: check.uuid,
  modifiedAt: check.modifiedAt?.toISOString(),
  state: {
    fields: toFields(check, address),
    alerts: alerts.map(toAlertBody),
    ...(alerts.some(({ unreadable }) => unreadable) && { hasUnreadable: true }),
  },
})

async function readServerAddress(
  healthChecks: HealthChecks,
  details: HealthCheck,
  how: ReadOptions,
): Promise<Address> {
  const { seen, signal } = how
  const listing = await how.listing
  const version = details.modifiedAt?.toISOString()
  // The address that was read with the same version is still valid.
  const isSeen = seen !== undefined && version !== undefined && seen.modifiedAt === version
  if (isSeen && seen.address.is !== 'unknown') return seen.address
  const unlisted = readAddress(details, undefined, listing)
  if (isSeen)
    return seen.address.is === 'unknown' && seen.address.shown === undefined ? unlisted : seen.address
  if (unlisted.is !== 'unknown' || listing === 'unclear' || version === undefined) return unlisted
  const row = how.row ?? (await findRow(healthChecks, details, signal))
  if (row?.modifiedAt?.toISOString() !== version) throw new ListingOutdated()
  return readAddress(details, row, listing)
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
    const row = page.results.find((one) => one.uuid === uuid)
    if (row) return row
  }
  return undefined
}

export type AlertsByCheck = ReadonlyMap<string, readonly Alert[]>

/** Reads the current state of a step's check, or of checks that may be the one it creates. Throws ApiError and ListingBehind. */
export async function lookUpStep(
  api: Api,
  { step, uuid: created }: StepRecord,
  { listing, signal }: Pick<ReadOptions, 'listing' | 'signal'>,
): Promise<{ look: LookedUp; alerts: AlertsByCheck }> {
  if (step.do !== 'create') {
    const isEdit = step.do === 'edit'
    const found = await readCheck(api, step.uuid, {
      ...{ listing, signal, seen: step.seen },
      needsAddress: !isEdit || Object.keys(step.set).length > 0,
      withAlerts: !isEdit || step.alerts !== undefined,
    })
    return { look: { now: found?.now, namesakes: [] }, alerts: alertsByCheck(found ? [found] : []) }
  }
  const whole = { listing, signal, withAlerts: true }
  if (created !== undefined) {
    const made = await readCheck(api, created, whole)
    return { look: { now: made?.now, namesakes: [] }, alerts: alertsByCheck(made ? [made] : []) }
  }
  const rows = await namesakes(api.healthChecks, step.to.fields, signal)
  const found: ReadCheck[] = []
  for (const row of rows.slice(0, MAX_NAMESAKES)) {
    const one = await readCheck(api, row.uuid, { ...whole, row })
    if (one) found.push(one)
  }
  return { look: { now: undefined, namesakes: found.map(({ now }) => now) }, alerts: alertsByCheck(found) }
}

const alertsByCheck = (read: readonly ReadCheck[]): AlertsByCheck =>
  new Map(read.map(({ now, alerts }) => [now.uuid, alerts]))

/** Names are unique per customer, so there are few. */
const MAX_NAMESAKES = 5

/** The checks with a name and customer. Throws ApiError. */
export async function namesakes(
  healthChecks: HealthChecks,
  {
    name = '',
    target,
    customerId,
  }: { name?: string | undefined; target?: string | undefined; customerId?: number | undefined },
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  const some = await allChecks(healthChecks, query, signal)
  return some.filter(
    (check) => check.name.toLowerCase() === name.toLowerCase() && check.customerId === customerId,
  )
}

/** The alerts of a check; undefined if the check was deleted. Throws ApiError. */
export async function alertsUnlessGone(
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

export function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error
}
