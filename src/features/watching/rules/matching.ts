import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { isTakedownCheck } from '../../../domain/takedown-checks.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import type { CardWithIncidents } from './card.ts'
import type { Silence, SilenceSubject } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { Watch, WatchField, WatchFilter, WatchRule } from './watch.ts'

/** A watch prepared for many lookups. */
export interface PreparedWatch {
  readonly watch: Watch
  readonly matches: (check: CheckFacts) => boolean
}

/** The matcher is built on first use, because most watches are never compared with a check. */
export function prepareWatch(watch: Watch): PreparedWatch {
  let matches: PreparedWatch['matches'] | undefined
  return {
    watch,
    matches(check) {
      matches ??= watchMatcher(watch.filter)
      return matches(check)
    },
  }
}

const watchIndexes = new WeakMap<readonly PreparedWatch[], (check: CheckFacts) => readonly PreparedWatch[]>()

/** The watches that match a check. Builds an index once per list. */
export function findMatchingWatches(
  watches: readonly PreparedWatch[],
  check: CheckFacts,
): readonly PreparedWatch[] {
  const find =
    watchIndexes.get(watches) ?? indexByPrefix(watches, ({ watch }) => watch.filter.include)
  watchIndexes.set(watches, find)
  return find(check).filter(({ matches }) => matches(check))
}

/**
 * Indexes items by the literal prefix of their patterns. A workspace's watches may name 20,000 checks, and comparing each name
 * with every check that goes down takes seconds. Items without rules always match.
 */
function indexByPrefix<T>(
  items: readonly T[],
  getRules: (item: T) => readonly WatchRule[],
): (check: CheckFacts) => readonly T[] {
  const unindexed: T[] = []
  const byField = new Map<WatchField, Map<string, T[]>>()
  for (const item of items) {
    const rules = getRules(item)
    const prefixes = rules.map(({ field, pattern }) => [field, getLiteralPrefix(pattern)] as const)
    if (rules.length === 0 || prefixes.some(([, prefix]) => prefix === '')) unindexed.push(item)
    else
      for (const [field, prefix] of prefixes) {
        const byPrefix = byField.get(field) ?? new Map<string, T[]>()
        byField.set(field, byPrefix)
        const sharing = byPrefix.get(prefix)
        if (sharing) sharing.push(item)
        else byPrefix.set(prefix, [item])
      }
  }
  const lengths = new Map(
    [...byField].map(([field, byPrefix]) => [
      field,
      new Set([...byPrefix.keys()].map(({ length }) => length)),
    ]),
  )
  return (check) => {
    const found = new Set(unindexed)
    for (const [field, byPrefix] of byField) {
      const value = foldName(check[field])
      for (const length of lengths.get(field) ?? [])
        for (const item of byPrefix.get(value.slice(0, length)) ?? []) found.add(item)
    }
    return [...found]
  }
}

const getLiteralPrefix = (pattern: string): string => foldName(pattern).split('*', 1)[0] ?? ''

/** When a silence ends; infinite if nobody knows. */
export const getEndMs = ({ to }: Pick<Silence, 'to'>): number => to?.getTime() ?? Number.POSITIVE_INFINITY

const silenceIndexes = new WeakMap<readonly Silence[], (check: CheckFacts) => readonly Silence[]>()

/** The silence that covers a check for the longest time. */
export function findLongestSilence(
  silences: readonly Silence[],
  check: CheckFacts,
  at: Date,
): Silence | undefined {
  const find =
    silenceIndexes.get(silences) ?? indexByPrefix(silences, ({ subject }) => getSubjectRules(subject))
  silenceIndexes.set(silences, find)
  return find(check)
    .filter((silence) => coversCheck(silence.subject, check) && getEndMs(silence) > at.getTime())
    .sort((left, right) => getEndMs(right) - getEndMs(left))[0]
}

const getSubjectRules = (subject: SilenceSubject): readonly WatchRule[] =>
  subject.kind === 'all'
    ? []
    : [
        subject.kind === 'check'
          ? { field: 'uuid', pattern: subject.uuid }
          : { field: 'name', pattern: subject.pattern },
      ]

/** The silence to show on a card. If everything that is down is silenced, the one that ends first; otherwise none. */
export function* findCardSilence(
  { incidents }: Pick<CardWithIncidents, 'incidents'>,
  silences: readonly Silence[],
  at: Date,
): Slices<Silence | undefined> {
  if (silences.length === 0) return undefined
  const open = incidents.filter(({ isDown }) => isDown)
  if (open.length === 0) return undefined
  let firstToEnd: Silence | undefined
  let isAnyUnsilenced = false
  yield* eachInSlices(open, ({ check }) => {
    if (isAnyUnsilenced) return
    const silence = findLongestSilence(silences, check, at)
    if (!silence) isAnyUnsilenced = true
    else if (!firstToEnd || getEndMs(silence) < getEndMs(firstToEnd)) firstToEnd = silence
  })
  return isAnyUnsilenced ? undefined : firstToEnd
}

/** Whether a silence of this subject covers the check. */
export const coversCheck = (subject: SilenceSubject, check: CheckFacts): boolean =>
  subjectMatcher(subject)(check)

/** Like `coversCheck`, prepared for many checks. */
export function subjectMatcher(subject: SilenceSubject): (check: CheckFacts) => boolean {
  const [matches = () => true] = getSubjectRules(subject).map(ruleMatcher)
  return matches
}

/** Matches checks against a filter: a check has to match an included rule, and no excluded one. Takedown checks match only by name or UUID. */
export function watchMatcher({ include, exclude }: WatchFilter): (check: CheckFacts) => boolean {
  const included = include.map(ruleMatcher)
  const excluded = exclude.map(ruleMatcher)
  // A takedown check is supposed to go down, so a watch has to name it, by UUID or by a name pattern.
  const hasNameRule = include.some(
    ({ field, pattern }) => field === 'uuid' || (field === 'name' && pattern !== '*'),
  )
  return (check) =>
    (hasNameRule || !isTakedownCheck(check)) &&
    (included.length === 0 || included.some((matches) => matches(check))) &&
    !excluded.some((matches) => matches(check))
}

/** `watchMatcher` for a single check. */
export const matchesWatch = (filter: WatchFilter, check: CheckFacts): boolean => watchMatcher(filter)(check)

function ruleMatcher({ field, pattern }: WatchRule): (check: CheckFacts) => boolean {
  const matches = globMatcher(pattern)
  return (check) => {
    return matches(check[field])
  }
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

/**
 * Whether some text matches both patterns. If both patterns have a star, only their beginnings (before the first star) and their
 * ends (after the last star) matter.
 */
export function globsOverlap(pattern: string, otherPattern: string): boolean {
  if (!pattern.includes('*')) return globMatcher(otherPattern)(pattern)
  if (!otherPattern.includes('*')) return globMatcher(pattern)(otherPattern)
  const [parts, otherParts] = [foldName(pattern).split('*'), foldName(otherPattern).split('*')]
  const [prefix = '', otherPrefix = ''] = [parts[0], otherParts[0]]
  const [suffix = '', otherSuffix = ''] = [parts.at(-1), otherParts.at(-1)]
  return (
    (prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix)) &&
    (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix))
  )
}
