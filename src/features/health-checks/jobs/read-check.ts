import type { Alert } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { allChecks } from '../every-check.ts'
import type { Address, Look, Now, Seen, StepRecord } from '../rules/change.ts'
import { toAlertBody } from '../rules/recipients.ts'
import { type AddressListing, readAddress, toFields } from '../rules/server-address.ts'

/** The listing shows an older version of a check than its details do. */
export class ListingBehind extends Error {
  override readonly name = 'ListingBehind'
  constructor() {
    super('The list of health checks is behind.')
  }
}

export const BEHIND = 'The list of health checks is behind. Try again in a minute.'

/** A check as it is just now, and its alerts with their IDs. */
export interface ReadCheck {
  readonly now: Now
  readonly details: HealthCheck
  readonly alerts: readonly Alert[]
}

interface How {
  /** It may still be under way: only the server address waits for it. */
  readonly listing: AddressListing | Promise<AddressListing>
  /** The version that was read before, and its address. */
  readonly seen?: Seen | undefined
  /** False where nothing is written of it but recipients. */
  readonly needsAddress?: boolean
  readonly withAlerts?: boolean
  /** Its row in a listing, where that was read already. */
  readonly row?: HealthCheck | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads a check by its details; undefined where it is gone. Throws ApiError and ListingBehind. */
export async function readCheck(api: Api, uuid: string, how: How): Promise<ReadCheck | undefined> {
  const { withAlerts = false, needsAddress = true, signal } = how
  const reading = withAlerts ? api.alerts.list(uuid, signal) : Promise.resolve([])
  // Nobody asks for them where the check is gone.
  reading.catch(() => undefined)
  const details = await api.healthChecks.get(uuid, signal).catch(undefinedIfGone)
  if (!details) return undefined
  const address = needsAddress
    ? await addressOf(api.healthChecks, details, how)
    : readAddress(details, undefined, 'unclear')
  const alerts = await reading
  return { now: toNow(details, address, alerts), details, alerts }
}

export const toNow = (check: HealthCheck, address: Address, alerts: readonly Alert[]): Now => ({
  uuid: check.uuid,
  modifiedAt: check.modifiedAt?.toISOString(),
  state: {
    fields: toFields(check, address),
    alerts: alerts.map(toAlertBody),
    ...(alerts.some(({ unreadable }) => unreadable) && { hasUnreadable: true }),
  },
})

async function addressOf(healthChecks: HealthChecks, details: HealthCheck, how: How): Promise<Address> {
  const { seen, signal } = how
  const listing = await how.listing
  const version = details.modifiedAt?.toISOString()
  // What was read of this very version still holds.
  const isSeen = seen !== undefined && version !== undefined && seen.modifiedAt === version
  if (isSeen && seen.address.is !== 'unknown') return seen.address
  const unlisted = readAddress(details, undefined, listing)
  if (isSeen)
    return seen.address.is === 'unknown' && seen.address.shown === undefined ? unlisted : seen.address
  if (unlisted.is !== 'unknown' || listing === 'unclear' || version === undefined) return unlisted
  const row = how.row ?? (await listedRow(healthChecks, details, signal))
  if (row?.modifiedAt?.toISOString() !== version) throw new ListingBehind()
  return readAddress(details, row, listing)
}

/** The row of a check in a listing. Throws ApiError. */
async function listedRow(
  healthChecks: HealthChecks,
  { uuid, name, customerId, target }: HealthCheck,
  signal?: AbortSignal,
): Promise<HealthCheck | undefined> {
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = { ...(name.includes('*') ? { target } : { name }), customerId, sort: 'uuid' as const }
  for await (const page of healthChecks.listAll(query, { signal })) {
    const row = page.results.find((one) => one.uuid === uuid)
    if (row) return row
  }
  return undefined
}

export type AlertsByCheck = ReadonlyMap<string, readonly Alert[]>

/** What the service has just now for a step, and the alerts of the checks in it. Throws ApiError and ListingBehind. */
export async function lookFor(
  api: Api,
  { step, uuid: created }: StepRecord,
  { listing, signal }: Pick<How, 'listing' | 'signal'>,
): Promise<{ look: Look; alerts: AlertsByCheck }> {
  if (step.do !== 'create') {
    const isEdit = step.do === 'edit'
    const found = await readCheck(api, step.uuid, {
      ...{ listing, signal, seen: step.seen },
      needsAddress: !isEdit || Object.keys(step.set).length > 0,
      withAlerts: !isEdit || step.alerts !== undefined,
    })
    return { look: { now: found?.now, alike: [] }, alerts: byCheck(found ? [found] : []) }
  }
  const whole = { listing, signal, withAlerts: true }
  if (created !== undefined) {
    const made = await readCheck(api, created, whole)
    return { look: { now: made?.now, alike: [] }, alerts: byCheck(made ? [made] : []) }
  }
  const rows = await namesakes(api.healthChecks, step.to.fields, signal)
  const found: ReadCheck[] = []
  for (const row of rows.slice(0, MOST_ALIKE)) {
    const one = await readCheck(api, row.uuid, { ...whole, row })
    if (one) found.push(one)
  }
  return { look: { now: undefined, alike: found.map(({ now }) => now) }, alerts: byCheck(found) }
}

const byCheck = (read: readonly ReadCheck[]): AlertsByCheck =>
  new Map(read.map(({ now, alerts }) => [now.uuid, alerts]))

/** A name is there once for each customer, or a few times. */
const MOST_ALIKE = 5

/** The checks of a name and customer. Throws ApiError. */
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

/** The alerts of a check; undefined where it was deleted since it was listed. Throws ApiError. */
export async function alertsUnlessGone(
  { alerts, healthChecks }: Api,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly Alert[] | undefined> {
  try {
    return await alerts.list(uuid, signal)
  } catch (error) {
    undefinedIfGone(error)
    // That no alerts are found is no word about the check.
    if (await healthChecks.get(uuid, signal).catch(undefinedIfGone)) throw error
    return undefined
  }
}

export function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error
}
