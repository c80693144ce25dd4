import { explain } from '../../../bot/request/explain.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Fields, Request } from '../rules/change.ts'
import { describeAnswerDifference, toBody } from '../rules/compare.ts'
import { buildAlertRequests, toAlertBody } from '../rules/recipients.ts'
import { getVersion, type KnownAddress } from '../rules/server-address.ts'

/** The result of a step's requests. */
export interface SendResult {
  readonly uuid: string | undefined
  /** The check, if a response included it. */
  readonly check?: HealthCheck | undefined
  /** Why the service refused some of the alerts. Everything else was done. */
  readonly refusal?: string | undefined
  /** How the check in a response differs from what was sent, as a sentence. Then nobody knows which values it has. */
  readonly difference?: string | undefined
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
  let check: HealthCheck | undefined
  let difference: string | undefined
  let hasSucceeded = false
  const refused: ApiError[] = []
  const markDone = (): void => {
    hasSucceeded = true
    onApplied()
  }
  for (const request of requests) {
    if (request.method === 'alerts') {
      uuid ??= request.uuid
      refused.push(
        ...(await sendAlerts(api, uuid ?? '', alerts.get(uuid ?? '') ?? [], request.to, {
          beforeRequest,
          onApplied: markDone,
        })),
      )
      continue
    }
    await beforeRequest()
    const sent = await sendCheck(api, request)
    uuid = sent.uuid
    check = sent.check
    difference = sent.difference
    markDone()
    onWritten(sent.written)
    if (request.method === 'create') await onCreated(sent.uuid)
  }
  const [first] = refused
  if (first && !hasSucceeded) throw first
  const refusal = first && [...new Set(refused.map(formatRefusal))].join(' ')
  return { uuid, check, refusal, difference }
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
): Promise<Pick<SendResult, 'check' | 'difference'> & { uuid: string; written: readonly WrittenAddress[] }> {
  if (request.method === 'delete') {
    await healthChecks.delete(request.uuid)
    return { uuid: request.uuid, written: [] }
  }
  const { fields } = request
  if (request.method === 'create') {
    const check = await healthChecks.create(buildRequestBody(request))
    return { uuid: check.uuid, check, written: toWritten(check, fields) }
  }
  const { uuid } = request
  const check = await healthChecks.update(uuid, buildRequestBody(request))
  const difference = describeAnswerDifference(fields, check)
  return { uuid, check, difference, written: difference ? [] : toWritten({ ...check, uuid }, fields) }
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
): Promise<ApiError[]> {
  const refused: ApiError[] = []
  for (const request of buildAlertRequests(current, wanted)) {
    const body = toAlertBody(request.about)
    await beforeRequest()
    try {
      if (request.do === 'create') await api.create(uuid, body)
      else if (request.do === 'update') await api.update(uuid, request.id, body)
      else await api.delete(uuid, request.id)
      onApplied()
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefused(error)) throw error
      refused.push(error)
    }
  }
  return refused
}

/** Whether the service refused the change itself, so a retry can't help. */
export const isRefused = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const formatRefusal = (error: ApiError): string =>
  error.serviceMessages.join(' ') || explain(error).happened
