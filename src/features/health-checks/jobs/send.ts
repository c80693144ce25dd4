import { explain } from '../../../bot/request/explain.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Request } from '../rules/change.ts'
import { describeAnswerDifference, toBody } from '../rules/compare.ts'
import { buildAlertRequests, toAlertBody } from '../rules/recipients.ts'
import { describeRecipients } from '../views/words.ts'

/** The result of a step's requests. */
export interface SendResult {
  readonly uuid: string | undefined
  /** The check, if a response included it. */
  readonly check?: HealthCheck | undefined
  /** Alerts that the service refused, with its reasons. Everything else was done. */
  readonly refusedAlerts: readonly RefusedAlert[]
  /** How the check in a response differs from what was sent, as a sentence. Then nobody knows which values it has. */
  readonly difference?: string | undefined
}

export interface RefusedAlert {
  readonly recipients: readonly string[]
  readonly reason: string
}

interface SendCallbacks {
  /** Called once the service has created the check. Its UUID must be stored before the next request. */
  onCreated?(uuid: string): Promise<void>
  /** Called after each request that the service has carried out. */
  onApplied?(): void
}

/**
 * Sends the requests of a step in sequence. Returns refused alerts in `refusedAlerts`. If nothing else was done, throws the first
 * refusal instead. Throws ApiError.
 */
export async function sendRequests(
  api: Api,
  requests: readonly Request[],
  alerts: ReadonlyMap<string, readonly Alert[]>,
  { onCreated = async () => undefined, onApplied = () => undefined }: SendCallbacks = {},
): Promise<SendResult> {
  let uuid: string | undefined
  let check: HealthCheck | undefined
  let difference: string | undefined
  let hasSucceeded = false
  const refused: (RefusedAlert & { error: ApiError })[] = []
  const markDone = (): void => {
    hasSucceeded = true
    onApplied()
  }
  for (const request of requests) {
    if (request.method === 'create') {
      check = await api.healthChecks.create(buildRequestBody(request))
      uuid = check.uuid
      markDone()
      await onCreated(uuid)
    } else if (request.method === 'update') {
      check = await api.healthChecks.update(request.uuid, buildRequestBody(request))
      uuid = request.uuid
      difference = describeAnswerDifference(request.fields, check)
      markDone()
    } else if (request.method === 'delete') {
      await api.healthChecks.delete(request.uuid)
      uuid = request.uuid
      markDone()
    } else {
      uuid ??= request.uuid
      refused.push(...(await sendAlerts(api, uuid ?? '', alerts.get(uuid ?? '') ?? [], request.to, markDone)))
    }
  }
  const [first] = refused
  if (first && !hasSucceeded) throw first.error
  const refusedAlerts = refused.map(({ recipients, reason }) => ({ recipients, reason }))
  return { uuid, check, refusedAlerts, difference }
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
  onApplied: () => void,
): Promise<(RefusedAlert & { error: ApiError })[]> {
  const refused: (RefusedAlert & { error: ApiError })[] = []
  for (const request of buildAlertRequests(current, wanted)) {
    const body = toAlertBody(request.about)
    try {
      if (request.do === 'create') await api.create(uuid, body)
      else if (request.do === 'update') await api.update(uuid, request.id, body)
      else await api.delete(uuid, request.id)
      onApplied()
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefused(error)) throw error
      refused.push({ recipients: body.recipients, reason: formatRefusal(error), error })
    }
  }
  return refused
}

/** Whether the service refused the change itself, so a retry can't help. */
export const isRefused = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const formatRefusal = (error: ApiError): string =>
  error.serviceMessages.join(' ') || explain(error).happened

/** Describes the alerts that the service refused. */
export const formatRefusedAlerts = (refused: readonly RefusedAlert[]): string =>
  refused
    .map(
      ({ recipients, reason }) =>
        `The service refused an alert ${recipients.length === 0 ? 'without recipients' : `that ${describeRecipients([{ recipients }])}`}: ${reason}`,
    )
    .join(' ')
