import type { Alert } from '../../../api/alerts.ts'
import { ApiError } from '../../../api/errors.ts'
import type { Api } from '../../../api/service.ts'
import { alike } from '../look-up.ts'
import { givenAddress } from '../server-address.ts'
import { desiredAlerts, sameAlerts } from './alert-lists.ts'
import type { Change, CheckState, Creation, Deletion, Edit } from './change.ts'
import { bodyFrom, differing, fieldsOf, holds, patched } from './change-fields.ts'
import { CHANGED_MEANWHILE, CHANGED_SINCE, isAsExpected } from './changed-since.ts'

/** A check as it is just now. */
export interface Present {
  uuid: string
  fields: CheckState['fields']
  alerts: readonly Alert[]
}

/**
 * What is to be done about a change: to write it (`ready`, with what there was and what there will be), nothing because it is
 * so already, nothing because an earlier attempt has done it, or nothing because it cannot be.
 */
export type Prepared =
  | { state: 'ready'; change: Change; now: Present | undefined }
  | { state: 'found' | 'done'; change: Change; result: string }
  | { state: 'refused'; change: Change; says: string }

/** Looks at the service before anything is written. Throws ApiError. */
export function prepare(api: Api, change: Change, signal: AbortSignal): Promise<Prepared> {
  switch (change.do) {
    case 'create':
      return prepareCreation(api, change, signal)
    case 'edit':
      return prepareEdit(api, change, signal)
    case 'delete':
      return prepareDeletion(api, change, signal)
  }
}

async function prepareCreation(api: Api, change: Creation, signal: AbortSignal): Promise<Prepared> {
  if (!change.isTried) return { state: 'ready', change: { ...change, isTried: true }, now: undefined }
  const twins = new Set(change.twins)
  const made = (await alike(api.healthChecks, change.body, signal)).find(({ uuid }) => !twins.has(uuid))
  if (!made) return { state: 'ready', change, now: undefined }
  if (change.alerts.length === 0) return { state: 'done', change, result: made.uuid }
  const alerts = await api.alerts.list(made.uuid, signal)
  if (sameAlerts(alerts, change.alerts)) return { state: 'done', change, result: made.uuid }
  return { state: 'ready', change, now: { uuid: made.uuid, fields: {}, alerts } }
}

async function prepareEdit(api: Api, change: Edit, signal: AbortSignal): Promise<Prepared> {
  const now = await presentOf(api, change, change.alerts !== undefined, signal)
  if (!now) return { state: 'refused', change, says: 'It is no longer there.' }
  return goneOnWith(change, now) ?? newEdit(change, now)
}

/** An edit of which a request may have left; undefined for one that begins. */
function goneOnWith(change: Edit, now: Present): Prepared | undefined {
  const { before, after } = change
  if (!before || !after) return undefined
  const isWritten = holds(now.fields, after.fields)
  if (isWritten && (!change.alerts || sameAlerts(now.alerts, after.alerts)))
    return { state: 'done', change, result: change.uuid }
  return isWritten || holds(now.fields, before.fields)
    ? { state: 'ready', change, now }
    : { state: 'refused', change, says: CHANGED_MEANWHILE }
}

function newEdit(change: Edit, now: Present): Prepared {
  const fields = patched(now.fields, change.patch)
  const alerts = change.alerts ? desiredAlerts(now.alerts, change.alerts) : now.alerts
  if (alerts && differing(now.fields, fields).length === 0 && sameAlerts(now.alerts, alerts))
    return { state: 'found', change, result: change.uuid }
  if (!isAsExpected(now, change.expects, { fields: change.patch, alerts }))
    return { state: 'refused', change, says: CHANGED_SINCE }
  if (!bodyFrom(fields)) return { state: 'refused', change, says: UNTOLD }
  if (!alerts) return { state: 'refused', change, says: UNREADABLE }
  const planned: Edit = { ...change, before: stateOf(now), after: { fields, alerts } }
  return { state: 'ready', change: planned, now }
}

async function prepareDeletion(api: Api, change: Deletion, signal: AbortSignal): Promise<Prepared> {
  const now = await presentOf(api, change, true, signal)
  if (!now) return { state: change.before ? 'done' : 'found', change, result: change.uuid }
  if (!isAsExpected(now, change.expects)) return { state: 'refused', change, says: CHANGED_SINCE }
  if (now.alerts.some(({ unreadable }) => unreadable)) return { state: 'refused', change, says: UNREADABLE }
  return { state: 'ready', change: { ...change, before: stateOf(now) }, now }
}

/** Undefined when the check is gone. */
async function presentOf(
  { healthChecks, alerts }: Api,
  { uuid, given: shown }: Edit | Deletion,
  withAlerts: boolean,
  signal: AbortSignal,
): Promise<Present | undefined> {
  const listing = withAlerts ? alerts.list(uuid, signal) : Promise.resolve([])
  // Nobody asks for it where the check is gone.
  listing.catch(() => undefined)
  const check = await healthChecks.get(uuid, signal).catch(undefinedIfGone)
  if (!check) return undefined
  const address = check.httpServerAddress
  const given = address === shown ? shown : await givenAddress(healthChecks, check, signal)
  return { uuid, fields: fieldsOf(check, given), alerts: await listing }
}

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error
}

const stateOf = ({ fields, alerts }: Present): CheckState => ({
  fields,
  alerts: alerts.map(({ type, recipients }) => ({ type: type || 'EMAIL', recipients })),
})

const UNTOLD = 'The service does not say all of it, so that it cannot be written back whole.'
const UNREADABLE = 'Some of its alerts cannot be read whole, and would be lost.'
