import type { SilenceSubject } from './silence.ts'
import { globMatcher } from './subjects.ts'
import type { WatchFilter } from './watch.ts'

/**
 * Whether a silence can cover a check that a watch matches, judged by names. Watches and silences store names that may be
 * out of date, so `currentNames` has the current ones, by UUID in lower case. A check without a known name can match
 * anything.
 */
export function mayAffectWatch(
  { include, exclude }: WatchFilter,
  about: SilenceSubject,
  currentNames: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (about.kind === 'all') return true
  const currentName = (uuid: string, before?: string) => currentNames.get(uuid.toLowerCase()) ?? before
  const checkName = about.kind === 'check' ? (currentName(about.uuid, about.name) ?? '') : ''
  const nameRules = include.filter(({ field }) => field === 'name' || field === 'uuid')
  const isExcluded = exclude.some(({ field, pattern }) =>
    about.kind === 'check'
      ? (field === 'name' && globMatcher(pattern)(checkName)) || (field === 'uuid' && pattern === about.uuid)
      : field === 'name' && globMatcher(pattern)(about.pattern),
  )
  if (isExcluded) return false
  if (nameRules.length === 0) return true
  return nameRules.some(({ field, pattern, label }) => {
    if (about.kind === 'check')
      return field === 'uuid'
        ? pattern.toLowerCase() === about.uuid.toLowerCase()
        : globMatcher(pattern)(checkName)
    if (field === 'name') return globsOverlap(pattern, about.pattern)
    const name = currentName(pattern, label)
    return name === undefined || globMatcher(about.pattern)(name)
  })
}

/**
 * Whether any text matches both patterns. If both have a star, comparing what comes before the first and after the last is
 * enough.
 */
export function globsOverlap(one: string, other: string): boolean {
  if (!one.includes('*')) return globMatcher(other)(one)
  if (!other.includes('*')) return globMatcher(one)(other)
  const [left, right] = [one.toLowerCase().split('*'), other.toLowerCase().split('*')]
  const [prefix = '', otherPrefix = ''] = [left[0], right[0]]
  const [suffix = '', otherSuffix = ''] = [left.at(-1), right.at(-1)]
  return (
    (prefix.startsWith(otherPrefix) || otherPrefix.startsWith(prefix)) &&
    (suffix.endsWith(otherSuffix) || otherSuffix.endsWith(suffix))
  )
}
