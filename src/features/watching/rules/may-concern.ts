import type { SilenceSubject } from './silence.ts'
import { globMatcher } from './subjects.ts'
import type { WatchFilter } from './watch.ts'

/**
 * Whether a silence may cover anything that a watch matches, as far as names say. `present`: the names that checks have by now, by their
 * UUIDs in lower case; a watch and a silence store those of when they were made. A check without either may have any name.
 */
export function mayConcern(
  { include, exclude }: WatchFilter,
  about: SilenceSubject,
  present: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (about.kind === 'all') return true
  const nameOf = (uuid: string, before?: string) => present.get(uuid.toLowerCase()) ?? before
  const own = about.kind === 'check' ? (nameOf(about.uuid, about.name) ?? '') : ''
  const names = include.filter(({ field }) => field === 'name' || field === 'uuid')
  const isOutside = exclude.some(({ field, pattern }) =>
    about.kind === 'check'
      ? (field === 'name' && globMatcher(pattern)(own)) || (field === 'uuid' && pattern === about.uuid)
      : field === 'name' && globMatcher(pattern)(about.pattern),
  )
  if (isOutside) return false
  if (names.length === 0) return true
  return names.some(({ field, pattern, label }) => {
    if (about.kind === 'check')
      return field === 'uuid' ? pattern.toLowerCase() === about.uuid.toLowerCase() : globMatcher(pattern)(own)
    if (field === 'name') return globsMeet(pattern, about.pattern)
    const called = nameOf(pattern, label)
    return called === undefined || globMatcher(about.pattern)(called)
  })
}

/** Whether any text fits both patterns: of two with a star, what stands before the first and behind the last decides. */
export function globsMeet(one: string, other: string): boolean {
  if (!one.includes('*')) return globMatcher(other)(one)
  if (!other.includes('*')) return globMatcher(one)(other)
  const [left, right] = [one.toLowerCase().split('*'), other.toLowerCase().split('*')]
  const [begins = '', otherBegins = ''] = [left[0], right[0]]
  const [ends = '', otherEnds = ''] = [left.at(-1), right.at(-1)]
  return (
    (begins.startsWith(otherBegins) || otherBegins.startsWith(begins)) &&
    (ends.endsWith(otherEnds) || otherEnds.endsWith(ends))
  )
}
