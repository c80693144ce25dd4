import { createShares, type ObserveCall, observed } from '@signalman/runtime'
import { webApi } from '@slack/bolt'

/** What goes to Slack, as people there are to read it: given a message, a view, or all that a call says. */
export type Worded = <T>(sent: T) => T

/** Keeps the library from writing to the console past our log; it throws its errors as well. */
export const SILENT: NonNullable<webApi.WebClientOptions['logger']> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => webApi.LogLevel.ERROR,
}

/** Of one workspace: a flood of answers to it takes no more of this process's sockets. */
const AT_ONCE = 20
const FOREVER = new AbortController().signal

/** Tells of every call of the Web API, by method, and what Slack said. Calls beyond 20 at once wait for their turn. */
export class ObservedClient extends webApi.WebClient {
  readonly #observe: ObserveCall | undefined
  readonly #worded: Worded | undefined
  /** The library has a queue too, of 100: behind this one nothing ever waits in it. */
  readonly #turns = createShares(AT_ONCE)

  constructor(
    token: string,
    observe: ObserveCall | undefined,
    options: webApi.WebClientOptions,
    worded?: Worded | undefined,
  ) {
    super(token, options)
    this.#observe = observe
    this.#worded = worded
  }

  /**
   * `beforeRequest` is called once the call has its turn, with nothing left to wait for: the library hands the request to `fetch`
   * in the same turn of the event loop, and `fetch` gives it up after 10 s. When it throws, nothing is sent.
   */
  override apiCall(
    method: string,
    options?: Record<string, unknown>,
    beforeRequest?: (() => void) | undefined,
  ): Promise<webApi.WebAPICallResult> {
    const call = { to: 'slack' as const, method }
    const said = this.#worded?.(options) ?? options
    return this.#turns.run([], FOREVER, async () => {
      beforeRequest?.()
      return observed(this.#observe, call, () => super.apiCall(method, said), slackCode)
    })
  }
}

/** The form of Slack's codes. Of any other text nothing is repeated: it may hold what was sent. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/

/** Slack's own code, or what kept it from saying one. */
function slackCode(error: unknown): string {
  if (error instanceof webApi.WebAPIPlatformError)
    return CODE.test(error.data.error) ? error.data.error : 'refused'
  if (error instanceof webApi.WebAPIRateLimitedError) return 'ratelimited'
  return error instanceof webApi.WebAPIHTTPError ? `status ${error.statusCode}` : 'unreachable'
}
