import { globMatcher } from '../../../domain/name-pattern.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { Watch, WatchFilter, WatchRule } from './watch.ts'

/** A watch prepared for many lookups. */
export interface PreparedWatch {
  readonly watch: Watch
  readonly matches: (check: CheckFacts) => boolean
}

export const prepareWatch = (watch: Watch): PreparedWatch => ({ watch, matches: watchMatcher(watch.filter) })

/** Matches checks against a filter. */
export function watchMatcher({ include, exclude }: WatchFilter): (check: CheckFacts) => boolean {
  const included = include.map(ruleMatcher)
  const excluded = exclude.map(ruleMatcher)
  return (check) =>
    (included.length === 0 || included.some((matches) => matches(check))) &&
    !excluded.some((matches) => matches(check))
}

function ruleMatcher({ field, pattern }: WatchRule): (check: CheckFacts) => boolean {
  const matches = globMatcher(pattern)
  return (check) => matches(check[field])
}
