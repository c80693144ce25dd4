import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { isTakedownCheck } from '../../../domain/takedown-checks.ts'
import type { CardWithOutages } from './card.ts'
import type { Silence, SilenceSubject } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { Watch, WatchField, WatchFilter, WatchRule } from './watch.ts'

/** A watch that can be asked many times. */
export interface ReadyWatch {
  readonly watch: Watch
  readonly fits: (check: CheckFacts) => boolean
}

/** What it looks for is made ready when it is first asked: of a thousand watches few are. */
export function readyWatch(watch: Watch): ReadyWatch {
  let matches: ReadyWatch['fits'] | undefined
  return {
    watch,
    fits(check) {
      matches ??= watchMatcher(watch.filter)
      return matches(check)
    },
  }
}

const watchesOf = new WeakMap<readonly ReadyWatch[], (check: CheckFacts) => readonly ReadyWatch[]>()

/** Those of the watches that fit. A list is to be asked again and again: what its watches name is put in order once. */
export function fitting(watches: readonly ReadyWatch[], check: CheckFacts): readonly ReadyWatch[] {
  const find = watchesOf.get(watches) ?? findByBeginning(watches, ({ watch }) => narrowest(watch.filter))
  watchesOf.set(watches, find)
  return find(check).filter(({ fits }) => fits(check))
}

/** Its included rules of the field that says most: one of them fits whatever the filter lets through. */
function narrowest({ include }: WatchFilter): readonly WatchRule[] {
  const field = (['uuid', 'name', 'target', 'customer', 'protocol'] as const).find((one) =>
    include.some((rule) => rule.field === one),
  )
  return include.filter((rule) => rule.field === field)
}

/**
 * Finds by the beginnings of patterns what may be about a check: a workspace may name 20,000 of them, and to compare each with
 * each check that falls takes seconds. Without a rule it is about any.
 */
function findByBeginning<T>(
  all: readonly T[],
  rulesOf: (one: T) => readonly WatchRule[],
): (check: CheckFacts) => readonly T[] {
  const always: T[] = []
  const byField = new Map<WatchField, Map<string, T[]>>()
  for (const one of all) {
    const rules = rulesOf(one)
    const begun = rules.map(({ field, pattern }) => [field, beginningOf(pattern)] as const)
    if (rules.length === 0 || begun.some(([, beginning]) => beginning === '')) always.push(one)
    else
      for (const [field, beginning] of begun) {
        const beginnings = byField.get(field) ?? new Map<string, T[]>()
        byField.set(field, beginnings)
        const same = beginnings.get(beginning)
        if (same) same.push(one)
        else beginnings.set(beginning, [one])
      }
  }
  const lengths = new Map(
    [...byField].map(([field, own]) => [field, new Set([...own.keys()].map(({ length }) => length))]),
  )
  return (check) => {
    const found = new Set(always)
    for (const [field, beginnings] of byField) {
      const value = valueToFit(check, field)?.toLowerCase()
      if (value === undefined) continue
      for (const length of lengths.get(field) ?? [])
        for (const one of beginnings.get(value.slice(0, length)) ?? []) found.add(one)
    }
    return [...found]
  }
}

const beginningOf = (pattern: string): string => pattern.toLowerCase().split('*', 1)[0] ?? ''

const lasts = ({ to }: Silence): number => to?.getTime() ?? Number.POSITIVE_INFINITY

const silencesOf = new WeakMap<readonly Silence[], (check: CheckFacts) => readonly Silence[]>()

/** The silence of a check that lasts longest, among those that haven't reached their end. */
export function silenceOf(silences: readonly Silence[], check: CheckFacts, at: Date): Silence | undefined {
  const find = silencesOf.get(silences) ?? findByBeginning(silences, ({ about }) => rulesOfSubject(about))
  silencesOf.set(silences, find)
  return find(check)
    .filter((one) => isAbout(one.about, check) && lasts(one) > at.getTime())
    .sort((left, right) => lasts(right) - lasts(left))[0]
}

const rulesOfSubject = (about: SilenceSubject): readonly WatchRule[] =>
  about.kind === 'all'
    ? []
    : [
        about.kind === 'check'
          ? { field: 'uuid', pattern: about.uuid }
          : { field: 'name', pattern: about.pattern },
      ]

/** The silence of what a card lists: of many checks, only if all that are down are silenced, and the one that ends first. */
export function* silenceOfCard(
  { outages }: Pick<CardWithOutages, 'outages'>,
  silences: readonly Silence[],
  at: Date,
): Slices<Silence | undefined> {
  if (silences.length === 0) return undefined
  const about = outages.filter(({ endedAt, listed }) => !endedAt && listed === 'here')
  if (about.length === 0) return undefined
  let first: Silence | undefined
  let isAnyAudible = false
  yield* eachInSlices(about, ({ check }) => {
    if (isAnyAudible) return
    const silence = silenceOf(silences, check, at)
    if (!silence) isAnyAudible = true
    else if (!first || lasts(silence) < lasts(first)) first = silence
  })
  return isAnyAudible ? undefined : first
}

/** Whether a silence of this subject covers the check. */
export const isAbout = (about: SilenceSubject, check: CheckFacts): boolean => subjectMatcher(about)(check)

/** The same as `isAbout`, to ask many times. */
export function subjectMatcher(about: SilenceSubject): (check: CheckFacts) => boolean {
  const [fits = () => true] = rulesOfSubject(about).map(ruleMatcher)
  return fits
}

/**
 * Tells which health checks a filter lets through: those that fit a rule of every included field, and no excluded rule.
 * Rules of one field are alternatives. The health checks of takedowns are let through by name or UUID only.
 */
export function watchMatcher({ include, exclude }: WatchFilter): (check: CheckFacts) => boolean {
  const ofFields = Map.groupBy(include, ({ field }) => field)
  const wanted = [...ofFields.values()].map((rules) => rules.map(ruleMatcher))
  const unwanted = exclude.map(ruleMatcher)
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

function ruleMatcher({ field, pattern }: WatchRule): (check: CheckFacts) => boolean {
  const fits = globMatcher(pattern)
  return (check) => {
    const value = valueToFit(check, field)
    return value !== undefined && fits(value)
  }
}

/** What a rule is compared with; undefined for a check of no customer, which no rule about customers fits. */
const valueToFit = (check: CheckFacts, field: WatchField): string | undefined =>
  field === 'customer' ? check.customerId?.toString() : (check[field] ?? '')

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
