import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
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

/** Matches a whole text against a pattern where `*` matches anything. Ignores case, and runs in linear time. */
export function globMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = foldName(pattern).split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => foldName(text) === first
  return (text) => {
    const value = foldName(text)
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last))
      return false
    const end = value.length - last.length
    let position = first.length
    for (const part of rest) {
      const found = value.indexOf(part, position)
      if (found === -1 || found + part.length > end) return false
      position = found + part.length
    }
    return true
  }
}
