import { createId } from '../protocol/ids.ts'
import type { Json } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
import type { EventLog } from './event-log.ts'

const MAX_DELIVERIES = 500
const SECRET_NAME = /token|secret|password|authorization/i

export type Journal = ReturnType<typeof createJournal>
type NewDelivery = Pick<Delivery, 'direction' | 'kind' | 'user' | 'request'> & { id?: string; retry?: number }
type DeliveryResult = Pick<Delivery, 'response' | 'verdict'> & { notes?: string[] }

/** Masks fields with names such as `token` or `password`, and the values of elements with such a name. */
function maskSecrets(value: Json, insideSecret = false): Json {
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, insideSecret))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const secret = SECRET_NAME.test(name) || (insideSecret && name === 'value')
      if (secret && typeof inner === 'string') return [name, mask(inner)]
      return [name, maskSecrets(inner, secret || insideSecret)]
    }),
  )
}

function mask(secret: string): string {
  return secret === '' ? '' : `${secret.startsWith('xoxb-') ? 'xoxb-' : ''}•••`
}

function maskHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_NAME.test(name) ? mask(value) : value]),
  )
}

/** The last 500 requests between the playground and the app, oldest first. Secrets are masked. */
export function createJournal(log: EventLog, now: () => Date) {
  const deliveries: Delivery[] = []
  const publish = (delivery: Delivery) =>
    log.append({ type: 'delivery', delivery: { ...delivery, notes: [...delivery.notes] } }, null)

  return {
    list: (): readonly Delivery[] => deliveries,

    /** Adds a new request with the verdict `pending`. */
    open({ id = createId('Q'), direction, kind, user, request, retry }: NewDelivery): Delivery {
      const delivery: Delivery = {
        id,
        direction,
        kind,
        at: now().toISOString(),
        durationMs: null,
        user,
        request: { ...request, headers: maskHeaders(request.headers), body: maskSecrets(request.body) },
        response: null,
        verdict: 'pending',
        notes: [],
        retry: retry ?? null,
      }
      deliveries.push(delivery)
      if (deliveries.length > MAX_DELIVERIES) deliveries.shift()
      publish(delivery)
      return delivery
    },

    close(delivery: Delivery, { response, verdict, notes = [] }: DeliveryResult): void {
      delivery.durationMs = Math.max(0, now().getTime() - Date.parse(delivery.at))
      delivery.response = response && { ...response, body: maskSecrets(response.body) }
      delivery.verdict = verdict
      delivery.notes.push(...notes)
      publish(delivery)
    },

    /** Changes the verdict of a delivery that is already closed, and adds notes that explain the new verdict. */
    changeVerdict(delivery: Delivery, verdict: string, notes: string[]): void {
      delivery.verdict = verdict
      delivery.notes.push(...notes)
      publish(delivery)
    },
  }
}
