import { hash } from 'node:crypto'
import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import type { Log } from '../../log.ts'
import type { AnswerTimes } from './answer-times.ts'
import type { SlackBody } from './body.ts'
import { createInFlight, type InFlight } from './in-flight.ts'
import { createRepeatedDeliveries } from './repeated-deliveries.ts'

/** What listeners get of a request besides its body. */
export interface Delivery {
  /** The same for every delivery of one request: by Slack's retries, a proxy, or an attacker. */
  requestKey: string
}

/** A request by HTTP or over a WebSocket. */
export interface Delivered {
  way: 'http' | 'socket'
  body: SlackBody
  /** The bytes that were sent, or a text that is unique to the request. */
  raw: Buffer | string
  /** How often Slack has sent it before. */
  retry?: number | undefined
}

/** Hands requests from Slack to Bolt, each once, and counts what they leave running. */
export interface Deliveries extends Receiver {
  /**
   * Resolves with what Slack is to be answered; the listeners go on running afterwards, counted. A repeated request has
   * the first one's answer. Rejects when Slack should send it again.
   */
  take(delivered: Delivered): Promise<unknown>
  /** Counts acknowledged work that still runs, because Bolt's own stop does not wait for it. */
  readonly inFlight: InFlight
}

export function createDeliveries(parts: {
  log: Log
  answerTimes: Pick<AnswerTimes, 'answersMs'>
  acknowledged?: (way: Delivered['way'], ms: number) => void
}): Deliveries {
  const { log, answerTimes, acknowledged } = parts
  const repeatedDeliveries = createRepeatedDeliveries()
  const inFlight = createInFlight()
  let app: App | undefined

  function acknowledgement({ body, retry = 0 }: Delivered, requestKey: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const isPatient = isAwaited(body)
    const delivery: Delivery = { requestKey }
    const say = (answer: unknown): void => {
      clearTimeout(late)
      resolve(answer)
    }
    const event: ReceiverEvent = {
      body,
      // Bolt acknowledges every event before its listeners run.
      ack: async (answer) => (isPatient ? undefined : say(answer ?? '')),
      customProperties: { ...delivery },
      ...(retry > 0 && { retryNum: retry }),
    }
    // Acts have been stored or refused well before (`bot/acts`): an answer without words hides nothing from the person, who is
    // told the rest as a message.
    const late = setTimeout(() => {
      log.warn({ event: 'late-acknowledgement', isPatient }, 'A request was not acknowledged in time.')
      if (!isPatient) resolve('')
    }, answerTimes.answersMs)
    async function listen(): Promise<void> {
      try {
        await app?.processEvent(event)
      } catch (error) {
        log.error({ err: error }, 'A listener failed.')
        clearTimeout(late)
        if (isPatient) return reject(new Error('What Slack said could not be done.'))
      }
      // Slack is answered even when no listener acknowledges, so that the person sees no time-out.
      say('')
    }

    inFlight.add(listen())
    return promise
  }

  return {
    inFlight,
    async take(delivered) {
      const since = performance.now()
      const requestKey = keyOf(delivered)
      const answer = await repeatedDeliveries.once(requestKey, () => acknowledgement(delivered, requestKey))
      acknowledged?.(delivered.way, performance.now() - since)
      return answer
    },
    init: (bolt) => {
      app = bolt
    },
    start: async () => undefined,
    stop: async () => undefined,
  }
}

/** Events that must not be lost: Slack is answered after their work is done, and repeats those that failed. */
const AWAITED: readonly unknown[] = ['app_uninstalled', 'tokens_revoked']

function isAwaited({ event }: SlackBody): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && AWAITED.includes(event.type)
}

/** A retried event is a new request with the same event id; other requests are repeated byte by byte, if at all. */
function keyOf({ body, raw }: Delivered): string {
  if (typeof body.event_id === 'string') return `event:${body.event_id}`
  return `body:${hash('sha256', raw, 'base64url')}`
}
