import { foldedMatcher } from '../../../domain/name-pattern.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { Watch, WatchField, WatchFilter, WatchRule } from './watch.ts'

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
  return ({ name, uuid }) => {
    const folded = { name: foldName(name), uuid: foldName(uuid) }
    return (
      (included.length === 0 || included.some((matches) => matches(folded))) &&
      !excluded.some((matches) => matches(folded))
    )
  }
}

type FoldedCheck = Readonly<Record<WatchField, string>>

function ruleMatcher({ field, pattern }: WatchRule): (check: FoldedCheck) => boolean {
  const matches = foldedMatcher(pattern)
  return (check) => matches(check[field])
}
