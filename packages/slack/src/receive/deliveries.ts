import { setTimeout as pause } from 'node:timers/promises'
import { atMost, type Log } from '@signalman/runtime'
import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import { LRUCache } from 'lru-cache'
import { isObject, type SlackBody } from './body.ts'

/** A request by HTTP or over a WebSocket. */
interface Delivered {
  way: 'http' | 'socket'
  body: SlackBody
  /** The same for every delivery of the request, whenever it was signed, and no other's. */
  id: string
  /** How often Slack has sent it before. */
  retry?: number | undefined
}

export type Deliveries = ReturnType<typeof createDeliveries>

/** Hands requests from Slack to Bolt, each once, and counts what they leave running. */
export function createDeliveries(parts: {
  log: Log
  answerTimes: Pick<AnswerTimes, 'answersMs'>
  acknowledged?: (way: Delivered['way'], ms: number) => void
}) {
  const { log, answerTimes, acknowledged } = parts
  const repeatedDeliveries = createRepeatedDeliveries()
  const inFlight = createInFlight()
  let app: App | undefined

  function acknowledgement({ body, retry = 0 }: Delivered, requestKey: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const acksAfterWork = isAwaited(body)
    const say = (answer: unknown): void => {
      clearTimeout(late)
      resolve(answer)
    }
    const event: ReceiverEvent = {
      body,
      // Bolt acknowledges every event before its listeners run.
      ack: async (answer) => (acksAfterWork ? undefined : say(answer ?? '')),
      customProperties: { requestKey },
      ...(retry > 0 && { retryNum: retry }),
    }
    // Acts have been stored or refused well before (`bot/acts`): an answer without words hides nothing from the person, who is
    // told the rest as a message.
    const late = setTimeout(() => {
      log.warn({ event: 'late-acknowledgement', acksAfterWork }, 'A request was not acknowledged in time.')
      if (!acksAfterWork) resolve('')
    }, answerTimes.answersMs)
    async function listen(): Promise<void> {
      try {
        await app?.processEvent(event)
      } catch (error) {
        log.error({ err: error }, 'A listener failed.')
        clearTimeout(late)
        if (acksAfterWork) return reject(new Error('What Slack said could not be done.'))
      }
      // Slack is answered even when no listener acknowledges, so that the person sees no time-out.
      say('')
    }

    inFlight.add(listen())
    return promise
  }

  return {
    /** Counts acknowledged work that still runs, because Bolt's own stop does not wait for it. */
    inFlight,
    /**
     * Resolves with what Slack is to be answered; the listeners go on running afterwards, counted. A repeated request has
     * the first one's answer. Rejects when Slack should send it again.
     */
    async take(delivered: Delivered): Promise<unknown> {
      const since = performance.now()
      const requestKey = deliveryKey(delivered)
      const answer = await repeatedDeliveries.once(requestKey, () => acknowledgement(delivered, requestKey))
      acknowledged?.(delivered.way, performance.now() - since)
      return answer
    },
    init(bolt: App): void {
      app = bolt
    },
    start: async () => undefined,
    stop: async () => undefined,
  } satisfies Receiver & Record<string, unknown>
}

/** Events that must not be lost: Slack is answered after their work is done, and repeats those that failed. */
const AWAITED: readonly unknown[] = ['app_uninstalled', 'tokens_revoked', 'team_access_revoked']

const isAwaited = ({ event }: SlackBody): boolean => isObject(event) && AWAITED.includes(event.type)

/**
 * The same for every delivery of one request: by Slack's retries, a proxy, or an attacker. A retried event is a new request with the
 * same event id; other requests are repeated byte by byte, if at all.
 */
const deliveryKey = ({ body, id }: Delivered): string =>
  typeof body.event_id === 'string' ? `event:${body.event_id}` : `request:${id}`

export type InFlight = ReturnType<typeof createInFlight>

/** Counts work that continues after its request was answered. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()

  /** Work that ends may start other work, so this looks again until none is left. */
  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running)
  }

  return {
    add(work: Promise<unknown>): void {
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
    },
    get count(): number {
      return running.size
    },
    /** Waits until no work is left, at most `limitMs`. Resolves with how much is left. */
    async drained(limitMs: number): Promise<number> {
      const limit = new AbortController()
      await Promise.race([settled(), pause(limitMs, undefined, limit).catch(() => undefined)])
      limit.abort()
      return running.size
    },
  }
}

/**
 * What is done by when, in milliseconds after a request came in. Slack waits 3 s for its answer, and a trigger dies after
 * 3 s (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026); both include the time on the network.
 */
export interface AnswerTimes {
  /** Until then an act is written down or refused. */
  takesMs: number
  /** Until then Slack has its answer, with or without words. */
  answersMs: number
  /** A window whose content is ready by then opens with it; otherwise a placeholder uses the trigger. */
  opensWholeMs: number
  /** Then a person who still waits is told that the app is still asking. */
  placeholderMs: number
}

export const ANSWER_TIMES: AnswerTimes = {
  takesMs: 2200,
  answersMs: 2600,
  opensWholeMs: 500,
  placeholderMs: 2000,
}

const REMEMBERED = 10_000

/**
 * Recognises duplicate deliveries: runs `work` once per key and gives every call with that key the same answer. Remembers
 * the last 10,000 keys of this process. Rows of acts do the same across processes and restarts.
 */
export function createRepeatedDeliveries() {
  const underWay = new Map<string, Promise<unknown>>()
  // Answers and not promises, of which the garbage collector would copy thousands.
  const answers = new LRUCache<string, NonNullable<unknown>>(atMost(REMEMBERED))

  async function answered(key: string, work: Promise<unknown>): Promise<unknown> {
    try {
      const answer = await work
      answers.set(key, answer ?? '')
      return answer
    } finally {
      // A request whose work failed may be sent again.
      underWay.delete(key)
    }
  }

  return {
    once(key: string, work: () => Promise<unknown>): Promise<unknown> {
      const running = underWay.get(key)
      if (running) return running
      if (answers.has(key)) return Promise.resolve(answers.get(key))
      const answer = answered(key, work())
      underWay.set(key, answer)
      return answer
    },
  }
}
