import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, type Log, lruOptions } from '@signalman/runtime'
import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import { LRUCache } from 'lru-cache'
import type { SlackBody } from './body.ts'

/** A request over HTTP or a WebSocket. */
interface Delivery {
  transport: 'http' | 'socket'
  body: SlackBody
  /** Identifies the request. It's the same for all deliveries of a request, even if they were signed at different times. */
  id: string
}

export type Deliveries = ReturnType<typeof createDeliveries>

/** Passes each request from Slack to Bolt once, and counts the work that it leaves running. */
export function createDeliveries(deps: {
  log: Log
  requestDeadlines: Pick<RequestDeadlines, 'responseDeadlineMs'>
  onAcknowledged?: (transport: Delivery['transport'], ms: number) => void
}) {
  const { log, requestDeadlines, onAcknowledged } = deps
  const deduplicator = createDeduplicator()
  const inFlight = createInFlight()
  let app: App | undefined

  function runUntilAcknowledged({ body }: Delivery, requestKey: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const acksAfterWork = isAckedAfterWork(body)
    const respond = (answer: unknown): void => {
      clearTimeout(deadlineTimer)
      resolve(answer)
    }
    const event: ReceiverEvent = {
      body,
      // Bolt acknowledges every event before its listeners run.
      async ack(answer) {
        if (answer === NO_ANSWER) reject(new Error('The request was stored too late to acknowledge it.'))
        else if (!acksAfterWork) respond(answer ?? '')
      },
      customProperties: { requestKey },
    }
    // By then, the app has stored or rejected the request (`storeDeadlineMs`). An empty acknowledgement is fine, because the person
    // gets the result as a message.
    const deadlineTimer = setTimeout(() => {
      log.warn({ event: 'late-acknowledgement', acksAfterWork }, 'A request was not acknowledged in time.')
      if (!acksAfterWork) resolve('')
    }, requestDeadlines.responseDeadlineMs)
    async function listen(): Promise<void> {
      try {
        await app?.processEvent(event)
      } catch (error) {
        log.error({ err: error }, 'A listener failed.')
        clearTimeout(deadlineTimer)
        if (acksAfterWork) return reject(new Error('The request could not be handled.'))
      }
      // Acknowledges even if no listener does, so that the person doesn't see a timeout.
      respond('')
    }

    inFlight.add(listen())
    return promise
  }

  return {
    /** Counts acknowledged work that is still running, because Bolt's own stop doesn't wait for it. */
    inFlight,
    /**
     * Resolves with the response for Slack. The listeners may keep running afterwards (see `inFlight`). A repeated request gets
     * the first one's response. Rejects if Slack should send the request again.
     */
    async handle(delivery: Delivery): Promise<unknown> {
      const since = performance.now()
      const requestKey = deliveryKey(delivery)
      const answer = await deduplicator.runOnce(requestKey, () => runUntilAcknowledged(delivery, requestKey))
      onAcknowledged?.(delivery.transport, performance.now() - since)
      return answer
    },
    init(bolt: App): void {
      app = bolt
    },
    start: async () => undefined,
    stop: async () => undefined,
  } satisfies Receiver & Record<string, unknown>
}

/** What a listener passes to `ack` so that Slack gets no answer: in a window, any answer, even an empty one, replaces or closes what it shows. */
export const NO_ANSWER = Symbol('no answer')

/** Events that protect somebody are acknowledged only after their work is done, so that Slack repeats those that failed. */
const ACKED_AFTER_WORK: readonly unknown[] = [
  ...['app_uninstalled', 'tokens_revoked'],
  ...['channel_shared', 'user_change'],
]

const isAckedAfterWork = ({ event }: SlackBody): boolean =>
  isRecord(event) && ACKED_AFTER_WORK.includes(event.type)

/**
 * Identifies a request across its deliveries, whether Slack, a proxy, or an attacker repeats them. When Slack retries an event, it
 * sends a new request with the same event ID. A message may come as several events, and again with each edit
 * (https://github.com/slackapi/bolt-js/issues/960), so its time in its channel identifies it. Other requests are only ever repeated
 * unchanged.
 */
function deliveryKey({ body, id }: Delivery): string {
  const { event, event_id, team_id } = body
  if (isRecord(event) && MESSAGES.includes(event.type) && typeof event.ts === 'string')
    return `message:${team_id} ${event.channel} ${event.ts}`
  return typeof event_id === 'string' ? `event:${event_id}` : `request:${id}`
}

const MESSAGES: readonly unknown[] = ['app_mention', 'message']

export type InFlight = ReturnType<typeof createInFlight>

/** Counts work that continues after its request was answered. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()

  /** Finished work may have started other work, so check again until none is left. */
  async function waitUntilIdle(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running)
  }

  return {
    async add(work: Promise<unknown>): Promise<void> {
      running.add(work)
      await Promise.allSettled([work])
      running.delete(work)
    },
    get count(): number {
      return running.size
    },
    /** Waits until no work is left, at most `limitMs`. Resolves with the number of pieces of work that are still running. */
    async waitUntilIdle(limitMs: number): Promise<number> {
      const limit = new AbortController()
      await Promise.race([waitUntilIdle(), pause(limitMs, undefined, limit).catch(() => undefined)])
      limit.abort()
      return running.size
    },
  }
}

/**
 * Deadlines in milliseconds after a request arrived. Slack waits 3 s for a response, and a trigger expires after 3 s
 * (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026). Both include network time.
 */
export interface RequestDeadlines {
  /** The deadline for storing or rejecting a request that changes something. */
  storeDeadlineMs: number
  /** The deadline for the response to Slack, with or without content. */
  responseDeadlineMs: number
  /** If a modal's content is ready by then, the modal opens with it. Otherwise, it opens with a placeholder. */
  modalDeadlineMs: number
  /** When the app tells a person who is still waiting that it's working on it. */
  placeholderMs: number
}

export const REQUEST_DEADLINES: RequestDeadlines = {
  storeDeadlineMs: 2200,
  responseDeadlineMs: 2600,
  modalDeadlineMs: 500,
  placeholderMs: 2000,
}

const MAX_REMEMBERED = 10_000

/**
 * Detects duplicate deliveries: runs `work` once per key and gives every call with that key the same response. Remembers the last
 * 10,000 keys of this process. Requests that change something are also deduplicated in the database, across processes and
 * restarts.
 */
export function createDeduplicator() {
  const running = new Map<string, Promise<unknown>>()
  // Stores responses instead of promises, because the garbage collector would copy thousands of them.
  const answers = new LRUCache<string, NonNullable<unknown>>(lruOptions(MAX_REMEMBERED))

  return {
    async runOnce(key: string, work: () => Promise<unknown>): Promise<unknown> {
      const known = running.get(key) ?? answers.get(key)
      if (known !== undefined) return known
      const runningWork = work()
      running.set(key, runningWork)
      try {
        const answer = await runningWork
        answers.set(key, answer ?? '')
        return answer
      } finally {
        // A request whose work failed may be sent again.
        running.delete(key)
      }
    },
  }
}
