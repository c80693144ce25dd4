import { UserError } from '../../errors.ts'

/** How `@slack/web-api` words an answer of Slack that says no. */
const SAID_NO = /^An API error occurred: (?!rate_?limited\b)/

/**
 * Whether Slack could be asked and said no, or the app is not installed there any more: asking again changes nothing.
 * What was lost on the way, and a call too many (429), is passing.
 */
export const isFinal = (error: unknown): boolean =>
  error instanceof UserError || (error instanceof Error && SAID_NO.test(error.message))
