import { UserError } from '../../errors.ts'

/** How `@slack/web-api` words an answer of Slack that says no. */
const SAID_NO = /^An API error occurred: (?!rate_?limited\b)/

/**
 * Whether Slack could be asked and said no, or the app is not installed there any more: asking again changes nothing.
 * What was lost on the way, and a call too many (429), is passing.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof UserError || (error instanceof Error && SAID_NO.test(error.message))

/** Slack answered, and only that it is unwell: what was asked is as unknown as before. */
const UNWELL = /\b(?:internal_error|fatal_error|service_unavailable|request_timeout)\b/

/** Whether what was asked of Slack has an answer: a no, and not that Slack cannot tell. */
export const isAnswer = (error: unknown): boolean =>
  isFinal(error) && !(error instanceof Error && UNWELL.test(error.message))
