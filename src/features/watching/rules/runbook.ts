import { UserError } from '@signalman/runtime'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { watchMatcher } from './matching.ts'
import type { Watch } from './watch.ts'

const MAX_LENGTH = 500
/** The most runbooks to show on a card, so that people in a hurry find the right one. */
const MAX_SHOWN = 3

/** Parses a runbook link. Throws UserError. */
export function parseRunbook(typed: string): string {
  const text = typed.trim()
  const url = /\s/.test(text) ? undefined : URL.parse(text)
  if (url?.protocol !== 'https:' || url.username || url.password)
    throw new UserError('needs a link that starts with https://, such as https://wiki.example.com/shop.')
  if (url.href.length > MAX_LENGTH) throw new UserError(`can have up to ${MAX_LENGTH} characters.`)
  return url.href
}

/** The unique runbooks of the watches that match any of these checks. */
export function listRunbooks(checks: readonly CheckFacts[], watches: readonly Watch[]): readonly string[] {
  const links = watches.flatMap(({ runbook, filter }) =>
    runbook !== undefined && checks.some(watchMatcher(filter)) ? [runbook] : [],
  )
  return [...new Set(links)].slice(0, MAX_SHOWN)
}
