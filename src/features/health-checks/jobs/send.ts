import { explain } from '../../../bot/request/explain.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Answered, Fields, Request } from '../rules/change.ts'
import { compareAlertAnswer, compareAnswer, toBody } from '../rules/compare.ts'
import { type AlertRequest, buildAlertRequests, toAlertBody } from '../rules/recipients.ts'
import { getVersion, type KnownAddress } from '../rules/server-address.ts'

/** The result of a step's requests. */
export interface SendResult {
  readonly uuid: string | undefined
  /** Why the service refused some of the alerts. Everything else was done. */
  readonly refusal?: string | undefined
  /** How the responses differ from what was sent. Then the check must be looked up. */
  readonly answered?: Answered | undefined
}

export type WrittenAddress = KnownAddress & { readonly uuid: string }

interface SendCallbacks {
  /** Called before each request. If it throws, neither this request nor a later one is sent. */
  beforeRequest?(): Promise<void>
  /** Called once the service has created the check. Its UUID must be stored before the next request. */
  onCreated?(uuid: string): Promise<void>
  /** Called after each request that the service has carried out. */
  onApplied?(): void
  /** Called with the server address that a request wrote, if it's known for which version. */
  onWritten?(written: readonly WrittenAddress[]): void
}

/**
 * Sends the requests of a step in sequence. If only alerts were refused, returns why, unless nothing was done: then it throws the first
 * refusal. Throws ApiError.
 */
export async function sendRequests(
  api: Api,
  requests: readonly Request[],
  alerts: ReadonlyMap<string, readonly Alert[]>,
  {
    beforeRequest = async () => undefined,
    onCreated = async () => undefined,
    onApplied = () => undefined,
    onWritten = () => undefined,
  }: SendCallbacks = {},
): Promise<SendResult> {
  let uuid: string | undefined
  let hasSucceeded = false
  const refused: ApiError[] = []
  const differing: Answered[] = []
  const markDone = (): void => {
    hasSucceeded = true
    onApplied()
  }
  for (const request of requests) {
    if (request.method === 'alerts') {
      uuid ??= request.uuid
      const sent = await sendAlerts(api, uuid ?? '', alerts.get(uuid ?? '') ?? [], request.to, {
        beforeRequest,
        onApplied: markDone,
      })
      refused.push(...sent.refused)
      differing.push(...sent.differing)
      continue
    }
    await beforeRequest()
    const sent = await sendCheck(api, request)
    uuid = sent.uuid
    if (sent.answered) differing.push(sent.answered)
    markDone()
    onWritten(sent.written)
    if (request.method === 'create') await onCreated(sent.uuid)
  }
  const [first] = refused
  if (first && !hasSucceeded) throw first
  const refusal = first && [...new Set(refused.map(formatRefusal))].join(' ')
  return { uuid, refusal, answered: combineAnswers(differing) }
}

function combineAnswers(differing: readonly Answered[]): Answered | undefined {
  const [first] = differing
  return (
    first && {
      difference: first.difference,
      fields: Object.assign({}, ...differing.map(({ fields }) => fields)),
      alerts: differing.flatMap(({ alerts }) => alerts),
    }
  )
}

/**
 * The server address that a request wrote, for the version that the service answered with; none if it didn't answer with one. A body
 * without an address makes the service resolve the target.
 */
function toWritten(check: HealthCheck, { address }: Fields): WrittenAddress[] {
  const modifiedAt = getVersion(check)
  if (modifiedAt === undefined || address.is === 'none') return []
  return [{ uuid: check.uuid, modifiedAt, address: address.is === 'set' ? address : { is: 'resolve' } }]
}

/** Creates, updates, or deletes a check. */
async function sendCheck(
  { healthChecks }: Api,
  request: Exclude<Request, { method: 'alerts' }>,
): Promise<Pick<SendResult, 'answered'> & { uuid: string; written: readonly WrittenAddress[] }> {
  if (request.method === 'delete') {
    await healthChecks.delete(request.uuid)
    return { uuid: request.uuid, written: [] }
  }
  const { fields } = request
  if (request.method === 'create') {
    const check = await healthChecks.create(buildRequestBody(request))
    return describeSent(check, fields)
  }
  const { uuid } = request
  const check = await healthChecks.update(uuid, buildRequestBody(request))
  return describeSent({ ...check, uuid }, fields)
}

function describeSent(check: HealthCheck, fields: Fields) {
  const answered = compareAnswer(fields, check)
  return { uuid: check.uuid, answered, written: answered ? [] : toWritten(check, fields) }
}

function buildRequestBody({ fields }: Request & { method: 'create' | 'update' }) {
  const body = toBody(fields)
  if (!body) throw new Error('A step to write must have all fields that the service requires.')
  return body
}

async function sendAlerts(
  { alerts: api }: Api,
  uuid: string,
  current: readonly Alert[],
  wanted: readonly AlertBody[],
  { beforeRequest, onApplied }: Required<Pick<SendCallbacks, 'beforeRequest' | 'onApplied'>>,
): Promise<{ refused: ApiError[]; differing: Answered[] }> {
  const refused: ApiError[] = []
  const differing: Answered[] = []
  for (const request of buildAlertRequests(current, wanted)) {
    const body = toAlertBody(request.about)
    await beforeRequest()
    try {
      const answered = await sendAlert(api, uuid, request, body)
      onApplied()
      if (answered) differing.push(answered)
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefused(error)) throw error
      refused.push(error)
    }
  }
  return { refused, differing }
}

/** Returns how the service's answer differs from what was sent. */
async function sendAlert(
  api: Api['alerts'],
  uuid: string,
  request: AlertRequest,
  body: AlertBody,
): Promise<Answered | undefined> {
  if (request.do === 'create') return compareAlertAnswer(body, await api.create(uuid, body))
  if (request.do === 'update') return compareAlertAnswer(body, await api.update(uuid, request.id, body))
  await api.delete(uuid, request.id)
  return undefined
}

/** Whether the service refused the change itself, so a retry can't help. */
export const isRefused = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const formatRefusal = (error: ApiError): string =>
  error.serviceMessages.join(' ') || explain(error).happened
