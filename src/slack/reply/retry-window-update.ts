const PAUSES_MS = [500, 1500, 4000]

/**
 * Calls Slack up to four times, as far apart as Slack asks for, when an error may pass. Only for calls that may be repeated
 * without harm (a window's contents), never for a new message. Throws the last error.
 */
export async function retrySafely<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      if (!isPassing(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, askedFor(error))))
    }
  }
  return work()
}

/** `@slack/web-api` gives each kind of failure a code; what the platform itself refused stays refused. */
const PASSING = new Set([
  'slack_webapi_rate_limited_error',
  'slack_webapi_request_error',
  'slack_webapi_http_error',
])

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && PASSING.has(String(error.code))
}

function askedFor(error: unknown): number {
  const seconds = error instanceof Error && 'retryAfter' in error ? Number(error.retryAfter) : 0
  return Number.isFinite(seconds) ? Math.min(seconds, 10) * 1000 : 0
}
