import { isTakedownCheck } from '../takedown-watch.ts'
import type { CheckFacts, WatchFilter, WatchRule } from './watch.ts'

/**
 * Tells which health checks a filter lets through: those that fit a rule of every included field, and no excluded rule.
 * Rules of one field are alternatives. The health checks of takedowns are let through by name or UUID only. Rules about the status are not looked at: they say when to tell, not of what.
 */
export function watchMatcher({ include, exclude }: WatchFilter): (check: CheckFacts) => boolean {
  const ofFields = Map.groupBy(include.filter(isAboutCheck), ({ field }) => field)
  const wanted = [...ofFields.values()].map((rules) => rules.map(ruleMatcher))
  const unwanted = exclude.filter(isAboutCheck).map(ruleMatcher)
  // What is meant to go down is nobody's outage, unless somebody asks for it by name.
  const isByName = include.some(
    ({ field, pattern }) => field === 'uuid' || (field === 'name' && pattern !== '*'),
  )
  return (check) =>
    (isByName || !isTakedownCheck(check)) &&
    wanted.every((alternatives) => alternatives.some((fits) => fits(check))) &&
    !unwanted.some((fits) => fits(check))
}

/** `watchMatcher` for a single check. */
export const matchesWatch = (filter: WatchFilter, check: CheckFacts): boolean => watchMatcher(filter)(check)

const isAboutCheck = ({ field }: WatchRule): boolean => field !== 'status'

function ruleMatcher({ field, pattern }: WatchRule): (check: CheckFacts) => boolean {
  const fits = globMatcher(pattern)
  if (field === 'customer') return ({ customerId }) => customerId !== undefined && fits(String(customerId))
  if (field === 'status') return () => true
  return (check) => fits(check[field] ?? '')
}

/**
 * Tells whether a whole text fits a pattern in which `*` stands for anything, letters of either case alike. Takes time with
 * the length of the text, whatever the pattern.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const last = rest.pop()
  if (last === undefined) return (text) => text.toLowerCase() === first
  return (text) => {
    const whole = text.toLowerCase()
    if (whole.length < first.length + last.length || !whole.startsWith(first) || !whole.endsWith(last))
      return false
    const end = whole.length - last.length
    let at = first.length
    for (const part of rest) {
      const found = whole.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}
