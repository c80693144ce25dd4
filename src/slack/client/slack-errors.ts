import { UserError } from '../../errors.ts'

/** How `@slack/web-api` words an answer of Slack that says no. */
const SAID_NO = /^An API error occurred: (?!rate_?limited\b)/

/** True when Slack said no, for whatever reason but too many calls (429), or the app is not installed there any more. */
const isRefused = (error: unknown): boolean =>
  error instanceof UserError || (error instanceof Error && SAID_NO.test(error.message))

/** Errors by which Slack says that it has a fault of its own, which is no answer to what was asked. */
const UNWELL = /\b(?:internal_error|fatal_error|service_unavailable|request_timeout)\b/

/**
 * True when Slack answered with a no, or the app is not installed there any more: asking again changes nothing. A lost request, a
 * call too many (429) and a fault of Slack's own are no answer.
 */
export const isAnswer = (error: unknown): boolean =>
  isRefused(error) && !(error instanceof Error && UNWELL.test(error.message))

/** How `@slack/web-api` names a call that got no answer, or one of a gateway in front of Slack. */
const NO_ANSWER = new Set(['slack_webapi_request_error', 'slack_webapi_http_error'])

/** True when the same call may get through a moment later: it was one too many (429), or no answer came. */
export const mayPass = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'slack_webapi_rate_limited_error' || NO_ANSWER.has(String(error.code)))

/** True when Slack may have done what was asked, and has not said so. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && NO_ANSWER.has(String(error.code))) || (isRefused(error) && !isAnswer(error)))
