import { explain } from '../../../bot/request/explain.ts'
import type { Alert } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthCheckBody, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { allChecks } from '../every-check.ts'
import { type AlertRequest, alertRequests, bodyOf, mailed, missingFrom, sameAlerts } from './alert-lists.ts'
import type { Change, CheckState, Creation, Deletion, Edit } from './change.ts'
import { bodyFrom, differencesOf, differing, isAsSeen, isSame } from './differences.ts'
import { readEditable, undefinedIfGone } from './editable.ts'

/** A check as it is just now. */
interface Present {
  uuid: string
  fields: CheckState['fields']
  alerts: readonly Alert[]
}

/**
 * What is to be done about a change: to write it (`ready`, with what there was and what there will be), nothing because it is
 * so already, nothing because an earlier attempt has done it, or nothing because it cannot be.
 */
export type Prepared =
  | {
      state: 'ready'
      change: Change
      now: Present | undefined
      /** The UUID of its check, where an earlier attempt has done a part of it. */
      half?: string
    }
  | { state: 'found' | 'done'; change: Change; result: string }
  | { state: 'refused'; change: Change; says: string }

/** Looks at the service before anything is written, or to find out what came of it. Throws ApiError. */
export function prepare(api: Api, change: Change, signal?: AbortSignal): Promise<Prepared> {
  switch (change.do) {
    case 'create':
      return prepareCreation(api, change, signal)
    case 'edit':
      return prepareEdit(api, change, signal)
    case 'delete':
      return prepareDeletion(api, change, signal)
  }
}

/** The checks that are what this body asks for, by name, target and the rest that makes a check another one. Throws ApiError. */
export async function alike(
  healthChecks: HealthChecks,
  body: HealthCheckBody,
  signal?: AbortSignal,
): Promise<HealthCheck[]> {
  const { name, target, customerId } = body
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  return (await allChecks(healthChecks, query, signal)).filter((check) => isSame(body, check))
}

async function prepareCreation(api: Api, change: Creation, signal?: AbortSignal): Promise<Prepared> {
  if (!change.isTried) return { state: 'ready', change: { ...change, isTried: true }, now: undefined }
  const made = (await alike(api.healthChecks, change.body, signal)).find(
    ({ uuid }) => !change.twins?.includes(uuid),
  )
  if (!made) return { state: 'ready', change, now: undefined }
  const { uuid } = made
  const alerts = change.alerts.length === 0 ? [] : await api.alerts.list(uuid, signal)
  if (missingFrom(alerts, change.alerts).length === 0) return { state: 'done', change, result: uuid }
  return { state: 'ready', change, now: { uuid, fields: {}, alerts }, half: uuid }
}

async function prepareEdit(api: Api, change: Edit, signal?: AbortSignal): Promise<Prepared> {
  const now = await presentOf(api, change, change.alerts !== undefined, signal)
  if (!now) return { state: 'refused', change, says: 'It is no longer there.' }
  return goneOnWith(change, now) ?? newEdit(change, now)
}

/** An edit of which a request may have left; undefined for one that begins. */
function goneOnWith(change: Edit, now: Present): Prepared | undefined {
  const { uuid, before, after, alerts } = change
  if (!before || !after) return undefined
  const isAs = ({ fields }: CheckState): boolean => differing(now.fields, fields).length === 0
  const mailsAs = (state: CheckState): boolean => !alerts || sameAlerts(now.alerts, state.alerts)
  if (isAs(after) && mailsAs(after)) return { state: 'done', change, result: uuid }
  if (!isAs(after) && !isAs(before)) return { state: 'refused', change, says: CHANGED_MEANWHILE }
  return { state: 'ready', change, now, ...(!(isAs(before) && mailsAs(before)) && { half: uuid }) }
}

function newEdit(change: Edit, now: Present): Prepared {
  const { patch: fields, alerts, expects: seen } = change
  const { next, isNone, conflicts, fault } = differencesOf({ now, wanted: { fields, alerts }, seen })
  if (isNone) return { state: 'found', change, result: change.uuid }
  if (conflicts.length > 0) return { state: 'refused', change, says: CHANGED_SINCE }
  if (fault) return { state: 'refused', change, says: fault }
  return { state: 'ready', change: { ...change, before: stateOf(now), after: next }, now }
}

async function prepareDeletion(api: Api, change: Deletion, signal?: AbortSignal): Promise<Prepared> {
  const now = await presentOf(api, change, true, signal)
  if (!now) return { state: change.before ? 'done' : 'found', change, result: change.uuid }
  if (!isAsSeen(now, change.expects)) return { state: 'refused', change, says: CHANGED_SINCE }
  if (now.alerts.some(({ unreadable }) => unreadable)) return { state: 'refused', change, says: UNREADABLE }
  return { state: 'ready', change: { ...change, before: stateOf(now) }, now }
}

/** Undefined when the check is gone. */
async function presentOf(
  { healthChecks, alerts }: Api,
  { uuid, given }: Pick<Edit | Deletion, 'uuid' | 'given'>,
  withAlerts: boolean,
  signal?: AbortSignal,
): Promise<Present | undefined> {
  const listing = withAlerts ? alerts.list(uuid, signal) : Promise.resolve([])
  // Nobody asks for it where the check is gone.
  listing.catch(() => undefined)
  const check = await readEditable(healthChecks, uuid, { given, signal }).catch(undefinedIfGone)
  return check && { uuid, fields: check.fields, alerts: await listing }
}

const stateOf = ({ fields, alerts }: Present): CheckState => ({ fields, alerts: alerts.map(bodyOf) })

const UNREADABLE = 'Some of its alerts cannot be read whole, and would be lost.'
const CHANGED_SINCE = 'It was changed by somebody else since, so it is left as it is.'
const CHANGED_MEANWHILE = 'It was changed by somebody else while this ran, so it is left as it is.'

/** What came of a change. */
export interface Made {
  uuid: string
  /** The check, where the answer to a request has shown it. */
  check?: HealthCheck
  /** Alerts that the service refused, with what it said: all the rest is done. */
  lost: readonly { alert: { recipients: readonly string[] }; says: string }[]
}

type Ready = Extract<Prepared, { state: 'ready' }>
type HasWritten = (uuid: string) => void

/**
 * Writes a change that was prepared. Throws ApiError: nothing was written, unless `hasWritten` was called, and what the
 * service refuses of some alerts alone is no error.
 */
export async function carryOut(
  api: Api,
  { change, now }: Ready,
  hasWritten: HasWritten = () => undefined,
): Promise<Made> {
  if (change.do === 'create') return create(api, change, now, hasWritten)
  if (change.do === 'edit') return edit(api, change, now, hasWritten)
  await api.healthChecks.delete(change.uuid)
  return { uuid: change.uuid, lost: [] }
}

async function create(api: Api, change: Creation, now: Ready['now'], hasWritten: HasWritten): Promise<Made> {
  const check = now ? undefined : await api.healthChecks.create(change.body)
  const uuid = now?.uuid ?? check?.uuid ?? ''
  hasWritten(uuid)
  // Alerts that somebody else has added meanwhile are theirs.
  const requests = missingFrom(now?.alerts ?? [], change.alerts).map((about) => ({
    about,
    send: () => api.alerts.create(uuid, bodyOf(about)),
  }))
  return { uuid, ...(check && { check }), lost: await sendAll(requests, () => undefined, true) }
}

async function edit(api: Api, change: Edit, now: Ready['now'], hasWritten: HasWritten): Promise<Made> {
  const { uuid, after, alerts } = change
  if (!after || !now) throw new Error('An edit is carried out as it was prepared.')
  const body = bodyFrom(after.fields)
  const isOther = body !== undefined && (!alerts || differing(now.fields, after.fields).length > 0)
  const check = isOther ? await api.healthChecks.update(uuid, body) : undefined
  if (check) hasWritten(uuid)
  const requests = alerts ? alertRequests(api.alerts, uuid, now.alerts, after.alerts) : []
  return { uuid, ...(check && { check }), lost: await sendAll(requests, () => hasWritten(uuid), isOther) }
}

/** The service will not do it, however often it is asked. */
export const isAboutTheChange = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const saidBy = (error: ApiError): string => error.said.join(' ') || explain(error).happened

/** Sends each of the requests, and goes on after a refusal; where nothing at all was done, the first refusal is thrown. */
async function sendAll(
  requests: readonly AlertRequest[],
  hasWritten: () => void,
  isBegun: boolean,
): Promise<Made['lost']> {
  const lost: { alert: AlertRequest['about']; says: string; error: ApiError }[] = []
  let isAny = isBegun
  for (const { about: alert, send } of requests) {
    try {
      await send()
      isAny = true
      hasWritten()
    } catch (error) {
      if (!(error instanceof ApiError) || !isAboutTheChange(error)) throw error
      lost.push({ alert, says: saidBy(error), error })
    }
  }
  if (!isAny && lost[0]) throw lost[0].error
  return lost.map(({ alert: { recipients }, says }) => ({ alert: { recipients }, says }))
}

/** What of a change was not done, in words. */
export const lostWords = (lost: Made['lost']): string =>
  lost.map(({ alert, says }) => `An alert that ${mailed([alert])} was refused: ${says}`).join(' ')
