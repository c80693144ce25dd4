// This folder writes one check to the service, under its lock.

import type { HeldLock } from '@signalman/durable'
import { explain } from '../../../bot/request/explain.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import { ApiError, isNotFound } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { requireAllChecks } from '../read-all-checks.ts'
import { type AlertRequest, buildAlertRequests } from '../rules/alert-requests.ts'
import type { RowEnd } from '../rules/ends.ts'
import { CHECK_FIELDS, FIELDS, type Settings } from '../rules/fields.ts'
import {
  type AddressNote,
  type CheckState,
  type Decision,
  decide,
  findAddressNote,
  pickAlerts,
  type Row,
  type ToWrite,
} from '../rules/row.ts'
import { pickCheckSettings, sameValue, toBody } from '../rules/settings.ts'
import { checkKey, type HoldCheck, newCheckKey } from './hold-check.ts'
import { findKeptAddress } from './server-address.ts'

/** Reads a check with its alerts; undefined if it was deleted. Throws ApiError. */
export async function readState(
  api: Api,
  uuid: string,
  { withAlerts = true, signal }: { withAlerts?: boolean; signal?: AbortSignal } = {},
): Promise<CheckState | undefined> {
  try {
    const [check, alerts] = await Promise.all([
      api.healthChecks.get(uuid, signal),
      withAlerts ? api.alerts.list(uuid, signal) : undefined,
    ])
    return { settings: pickCheckSettings(check), alerts }
  } catch (error) {
    // A 404 for the alerts doesn't prove that the check was deleted.
    if (!isNotFound(error) || (await exists(api, uuid))) throw error
    return undefined
  }
}

/** Reads the check of a row, and its alerts if the row may change them. For a creation, it's the one with the same name and customer. */
async function readRowState(api: Api, row: Row): Promise<{ uuid?: string; now?: CheckState }> {
  const uuid = row.do === 'create' ? (await findNamesake(api, row.to))?.uuid : row.uuid
  if (uuid === undefined) return {}
  const now = await readState(api, uuid, { withAlerts: row.do !== 'edit' || row.alerts !== undefined })
  return { uuid, ...(now && { now }) }
}

export const exists = ({ healthChecks }: Api, uuid: string): Promise<boolean> =>
  healthChecks.get(uuid).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false
      throw error
    },
  )

/** Reads back what became of the server address after an edit. Undefined also if it can't be read. */
export async function readAddressNote(
  { healthChecks }: Api,
  row: Row,
  { is, kept }: RowEnd,
): Promise<AddressNote | undefined> {
  if (is !== 'done' || row.do !== 'edit' || Object.keys(row.set).length === 0) return undefined
  const mayHaveOne = kept ?? row.set.httpServerAddress ?? row.before.settings.httpServerAddress
  const check = mayHaveOne === undefined ? undefined : await healthChecks.get(row.uuid).catch(() => undefined)
  return check && findAddressNote(row, kept, check)
}

/** Finds the check with this name and customer, as the lock of a new one compares them. Throws ApiError. */
async function findNamesake(
  api: Api,
  { name = '', target, customerId }: Settings,
): Promise<HealthCheck | undefined> {
  // A `*` in the filter is a wildcard.
  const query = name.includes('*') ? { target, customerId } : { name, customerId }
  const found = await requireAllChecks(api.healthChecks, query)
  const key = newCheckKey(api, name, customerId)
  return found.find((check) => newCheckKey(api, check.name, check.customerId) === key)
}

export interface Writer {
  readonly api: Api
  readonly hold: HoldCheck
}

interface WriteOptions {
  mayHaveBeenSent?: boolean
  /** Stores that a request is about to be sent, and then sends it. `isRest`: an earlier attempt has written a part. */
  begin?: (send: () => Promise<RowEnd>, isRest: boolean) => Promise<RowEnd>
}

/**
 * Writes a row, unless its check has changed since the person saw it. Nobody else writes to the check meanwhile. Throws ApiError if the
 * service didn't answer or refused all of it. After a lost answer, another try with `mayHaveBeenSent` finds out what was done.
 */
export async function writeRow(
  { api, hold }: Writer,
  row: Row,
  { mayHaveBeenSent = false, begin = (send) => send() }: WriteOptions = {},
): Promise<RowEnd> {
  const key = row.do === 'create' ? newCheckKey(api, row.name, row.to.customerId) : checkKey(api, row.uuid)
  return hold(key, async (held): Promise<RowEnd> => {
    const state = await readRowState(api, row)
    const decision = decide(row, state.now, mayHaveBeenSent)
    if (!isToWrite(decision)) return endUnwritten(row, state, decision)
    const kept =
      state.now && decision.to !== undefined ? await findKeptAddress(row, state.now.settings) : undefined
    return begin(() => send(api, { row, ...state, decision, kept, held }), decision.is === 'write-rest')
  })
}

const isToWrite = (decision: Decision): decision is ToWrite =>
  decision.is === 'write' || decision.is === 'write-rest'

type RowState = Awaited<ReturnType<typeof readRowState>>

/** How a row ends without another request. */
async function endUnwritten(
  row: Row,
  { uuid, now }: RowState,
  decision: Exclude<Decision, ToWrite>,
): Promise<RowEnd> {
  if (decision.is !== 'done') return { ...decision, uuid }
  return { is: 'done', uuid, kept: now && (await findKeptAddress(row, now.settings)) }
}

const PARTLY = 'Only a part was done.'

/**
 * How a row ended that may have been sent, from what the service has now. Undefined if nothing of it was done. Only reads. Throws
 * ApiError.
 */
export async function findEnd(api: Api, row: Row): Promise<RowEnd | undefined> {
  const state = await readRowState(api, row)
  const decision = decide(row, state.now, true)
  if (!isToWrite(decision)) return endUnwritten(row, state, decision)
  return decision.is === 'write-rest' ? { is: 'partly', uuid: state.uuid, reason: PARTLY } : undefined
}

interface Send {
  readonly row: Row
  readonly uuid?: string
  readonly now?: CheckState
  readonly decision: ToWrite
  readonly kept: string | undefined
  readonly held: HeldLock
}

/** Sends what the check doesn't have yet. If a part was done and the service refused the rest, says so. */
async function send(
  api: Api,
  { row, uuid, now, decision: { is, to, alerts }, kept, held }: Send,
): Promise<RowEnd> {
  const progress: Progress = { uuid, hasWritten: is === 'write-rest' }
  try {
    if (row.do === 'delete') await held.send(() => api.healthChecks.delete(row.uuid))
    const settings = to && { ...to, ...(kept !== undefined && { httpServerAddress: kept }) }
    const odd = settings && (await held.send(() => sendSettings(api, settings, progress)))
    if (odd) return endOtherwise(progress, odd, alerts)
    for (const request of alerts ? buildAlertRequests(pickAlerts(row, now?.alerts ?? []), alerts) : []) {
      await held.send(() => sendAlert(api, progress.uuid ?? '', request))
      progress.hasWritten = true
    }
    return { is: 'done', uuid: progress.uuid, kept }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The check may have been deleted at the same moment, which is what was wanted. The 404 alone doesn't prove it.
    if (row.do === 'delete' && isNotFound(error) && !(await exists(api, row.uuid)))
      return { is: 'done', uuid }
    return endRefused(progress, error)
  }
}

/** How a row ends whose settings the service saved otherwise than they were sent. Its alerts aren't sent then. */
const endOtherwise = ({ uuid }: Progress, odd: string, alerts: readonly AlertBody[] | undefined): RowEnd => ({
  is: 'partly',
  uuid,
  reason: alerts?.length ? `${odd} Its recipients weren’t saved.` : odd,
})

/** How a row ends that the service refused. Rethrows the error if nothing was done, or if nobody knows yet. */
function endRefused({ uuid, hasWritten }: Progress, error: ApiError): RowEnd {
  // If a part was done, it stays, whatever became of the rest.
  if (!isRefused(error)) throw hasWritten ? copyError(error, { mayHaveHappened: true }) : error
  if (!hasWritten) throw error
  const reason = `${PARTLY} The service refused the rest: ${formatRefusal(error)}`
  return { is: 'partly', uuid, reason }
}

const copyError = (error: ApiError, changes: Pick<ApiError, 'mayHaveHappened'>): ApiError =>
  new ApiError(error.kind, error.message, { ...error, ...changes })

/**
 * How a row ends whose request the service has answered, but so that it may have been carried out: with a 500, or with a failure in the
 * body of a success. Nothing is running anymore, so what the service has now tells. Throws ApiError like `writeRow`.
 */
export async function endAnswered(api: Api, row: Row, error: ApiError): Promise<RowEnd> {
  const end = await findEnd(api, row).catch((problem: unknown) => {
    throw problem instanceof ApiError ? error : problem
  })
  if (end?.is === 'done') return end
  if (end?.is === 'unclear') return { ...end, reason: `${formatRefusal(error)} ${end.reason}` }
  const progress = { uuid: end?.uuid, hasWritten: end !== undefined }
  return endRefused(progress, copyError(error, { mayHaveHappened: false }))
}

interface Progress {
  uuid: string | undefined
  /** Whether this try or an earlier one has written a part. */
  hasWritten: boolean
}

/** Creates or updates the check. Returns a sentence if the service saved something else. */
async function sendSettings(
  { healthChecks }: Api,
  settings: Settings,
  progress: Progress,
): Promise<string | undefined> {
  const body = toBody(settings)
  if (!body) throw new Error('A row to write must have all settings that the service requires.')
  const { uuid } = progress
  const answer = await (uuid === undefined ? healthChecks.create(body) : healthChecks.update(uuid, body))
  progress.uuid ??= answer.uuid
  progress.hasWritten = true
  const odd = FIELDS.find(
    (field) =>
      field !== 'httpServerAddress' && answer[field] !== undefined && !sameValue(field, body, answer),
  )
  return odd ? `The service saved another ${CHECK_FIELDS[odd].label}: ${answer[odd]}.` : undefined
}

async function sendAlert({ alerts }: Api, uuid: string, request: AlertRequest): Promise<void> {
  if (request.do === 'create') await alerts.create(uuid, request.body)
  else if (request.do === 'update') await alerts.update(uuid, request.id, request.body)
  else await alerts.delete(uuid, request.id)
}

/** Whether the service refused the change itself, so that a retry can't help. */
export const isRefused = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const formatRefusal = (error: ApiError): string =>
  error.serviceMessages.join(' ') || explain(error).happened
