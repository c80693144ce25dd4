import { explain } from '../../../bot/request/explain.ts'
import type { Alert, AlertBody } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import type { Request } from '../rules/change.ts'
import { toBody } from '../rules/compare.ts'
import { alertRequests, toAlertBody } from '../rules/recipients.ts'
import { mailWords } from '../views/words.ts'

/** What came of the requests for a step. */
export interface Sent {
  readonly uuid: string | undefined
  /** The check, where the answer to a request has shown it. */
  readonly check?: HealthCheck | undefined
  /** Alerts that the service refused, with what it said: all the rest is done. */
  readonly lost: readonly LostAlert[]
}

export interface LostAlert {
  readonly recipients: readonly string[]
  readonly says: string
}

interface Heard {
  /** The service has answered a creation: its UUID is to be stored before anything else is sent. */
  created?(uuid: string): Promise<void>
  /** The service has carried out a request. */
  arrived?(): void
}

/**
 * Sends the requests of a step, one after the other. Throws ApiError; what the service refuses of some alerts alone is no
 * error, unless nothing else was done.
 */
export async function send(
  api: Api,
  requests: readonly Request[],
  alerts: ReadonlyMap<string, readonly Alert[]>,
  { created = async () => undefined, arrived = () => undefined }: Heard = {},
): Promise<Sent> {
  let uuid: string | undefined
  let check: HealthCheck | undefined
  let isAny = false
  const lost: (LostAlert & { error: ApiError })[] = []
  const done = (): void => {
    isAny = true
    arrived()
  }
  for (const request of requests) {
    if (request.method === 'create') {
      check = await api.healthChecks.create(bodyToSend(request))
      uuid = check.uuid
      done()
      await created(uuid)
    } else if (request.method === 'update') {
      check = await api.healthChecks.update(request.uuid, bodyToSend(request))
      uuid = request.uuid
      done()
    } else if (request.method === 'delete') {
      await api.healthChecks.delete(request.uuid)
      uuid = request.uuid
      done()
    } else {
      uuid ??= request.uuid
      lost.push(...(await sendAlerts(api, uuid ?? '', alerts.get(uuid ?? '') ?? [], request.to, done)))
    }
  }
  const [first] = lost
  if (first && !isAny) throw first.error
  return { uuid, check, lost: lost.map(({ recipients, says }) => ({ recipients, says })) }
}

function bodyToSend({ fields }: Request & { method: 'create' | 'update' }) {
  const body = toBody(fields)
  if (!body) throw new Error('A step is only decided to be written where all that is written is known.')
  return body
}

async function sendAlerts(
  { alerts: api }: Api,
  uuid: string,
  now: readonly Alert[],
  wanted: readonly AlertBody[],
  done: () => void,
): Promise<(LostAlert & { error: ApiError })[]> {
  const lost: (LostAlert & { error: ApiError })[] = []
  for (const request of alertRequests(now, wanted)) {
    const body = toAlertBody(request.about)
    try {
      if (request.do === 'create') await api.create(uuid, body)
      else if (request.do === 'update') await api.update(uuid, request.id, body)
      else await api.delete(uuid, request.id)
      done()
    } catch (error) {
      if (!(error instanceof ApiError) || !isAboutTheChange(error)) throw error
      lost.push({ recipients: body.recipients, says: saidBy(error), error })
    }
  }
  return lost
}

/** The service will not do it, however often it is asked. */
export const isAboutTheChange = ({ kind, mayHaveHappened }: ApiError): boolean =>
  !mayHaveHappened && (kind === 'rejected' || kind === 'conflict' || kind === 'not-found')

export const saidBy = (error: ApiError): string => error.said.join(' ') || explain(error).happened

/** What of a change was not done, in words. */
export const lostWords = (lost: readonly LostAlert[]): string =>
  lost
    .map(
      ({ recipients, says }) => `The service refused an alert that ${mailWords([{ recipients }])}: ${says}`,
    )
    .join(' ')
