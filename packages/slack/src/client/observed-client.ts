import { createShares, type ObserveCall, observed } from '@signalman/runtime'
import { webApi } from '@slack/bolt'
import { retryAfterMs } from './slack-errors.ts'

/** A logger that does nothing. The library's own logger writes to the console. No error is lost, because errors are also thrown. */
export const SILENT_LOGGER: NonNullable<webApi.WebClientOptions['logger']> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => webApi.LogLevel.ERROR,
}

/** The maximum number of concurrent calls per workspace, so that a flood of calls uses at most this many sockets. */
const MAX_CONCURRENT = 20
/** All calls of a client are one workspace's. */
const WHOLE = { name: 'workspace', max: () => MAX_CONCURRENT }
const NEVER_ABORTED = new AbortController().signal

/**
 * A Web API client that reports the method and result of every call. At most 20 calls run at once; the others queue. After a 429, it
 * refuses the method (of posts: in that channel) for as long as Slack asks, because work that becomes due sooner for another reason would try again.
 */
export class ObservedClient extends webApi.WebClient {
  readonly #observe: ObserveCall | undefined
  /** Calls wait here, so the library's own queue of 100 never fills up. */
  readonly #turns = createShares(MAX_CONCURRENT)
  /** When Slack takes the calls again that it limits. */
  readonly #limitedUntilMs = new Map<string, number>()

  constructor(token: string, observe: ObserveCall | undefined, options: webApi.WebClientOptions) {
    super(token, options)
    this.#observe = observe
  }

  /**
   * Calls `beforeRequest` right before sending, when it's the call's turn: the library calls `fetch` in the same turn of the event
   * loop, and `fetch` times out after 10 s. If `beforeRequest` throws, nothing is sent.
   */
  override apiCall(
    method: string,
    options?: Record<string, unknown>,
    beforeRequest?: (() => void) | undefined,
  ): Promise<webApi.WebAPICallResult> {
    const call = { to: 'slack' as const, method }
    // Slack limits posts in each channel, and everything else in the workspace.
    const limited = method.startsWith('chat.') ? `${method} ${options?.channel}` : method
    return this.#turns.run(WHOLE, NEVER_ABORTED, async () => {
      const waitMs = (this.#limitedUntilMs.get(limited) ?? 0) - performance.now()
      if (waitMs > 0) throw new webApi.WebAPIRateLimitedError(waitMs / 1000)
      this.#limitedUntilMs.delete(limited)
      beforeRequest?.()
      try {
        return await observed(this.#observe, call, () => super.apiCall(method, options), slackCode)
      } catch (error) {
        const retryMs = retryAfterMs(error)
        if (retryMs !== undefined) this.#limitedUntilMs.set(limited, performance.now() + retryMs)
        throw error
      }
    })
  }
}

/** The format of Slack's error codes. Any other text is never repeated, because it may quote the request. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/

/** Slack's error code, or why there is none. */
function slackCode(error: unknown): string {
  if (error instanceof webApi.WebAPIPlatformError)
    return CODE.test(error.data.error) ? error.data.error : 'refused'
  if (error instanceof webApi.WebAPIRateLimitedError) return 'ratelimited'
  return error instanceof webApi.WebAPIHTTPError ? `status ${error.statusCode}` : 'unreachable'
}
