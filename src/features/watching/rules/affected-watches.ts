import type { SilenceSubject } from './silence.ts'
import { globMatcher } from './subjects.ts'
import type { WatchFilter } from './watch.ts'

/**
 * Whether a silence can cover a check that a watch matches, judged by names. `present` has the current names by UUID in
 * lower case, because watches and silences store older ones. A check with no known name could match anything.
 */
export function mayAffectWatch(
  { include, exclude }: WatchFilter,
  about: SilenceSubject,
  present: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (about.kind === 'all') return true
  const currentName = (uuid: string, before?: string) => present.get(uuid.toLowerCase()) ?? before
  const own = about.kind === 'check' ? (currentName(about.uuid, about.name) ?? '') : ''
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
    if (field === 'name') return globsOverlap(pattern, about.pattern)
    const called = currentName(pattern, label)
    return called === undefined || globMatcher(about.pattern)(called)
  })
}

/** Whether any text matches both patterns. With a star in both, the parts before the first and after the last one decide. */
export function globsOverlap(one: string, other: string): boolean {
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
