import { globMatcher, globsOverlap } from './matching.ts'
import type { SilenceSubject } from './silence.ts'
import type { WatchFilter } from './watch.ts'

/**
 * Whether a silence may cover any check that a watch matches, as far as names can tell. The names stored in watches and silences
 * may be out of date, so `currentNames` maps UUIDs (in lower case) to current names. A check whose name isn't known may match any
 * pattern.
 */
export function mayAffectWatch(
  { include, exclude }: WatchFilter,
  subject: SilenceSubject,
  currentNames: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (subject.kind === 'all') return true
  const currentName = (uuid: string, storedName?: string) =>
    currentNames.get(uuid.toLowerCase()) ?? storedName
  const checkName = subject.kind === 'check' ? (currentName(subject.uuid, subject.name) ?? '') : ''
  const nameRules = include.filter(({ field }) => field === 'name' || field === 'uuid')
  const isExcluded = exclude.some(({ field, pattern }) =>
    subject.kind === 'check'
      ? (field === 'name' && globMatcher(pattern)(checkName)) ||
        (field === 'uuid' && pattern === subject.uuid)
      : field === 'name' && globMatcher(pattern)(subject.pattern),
  )
  if (isExcluded) return false
  if (nameRules.length === 0) return true
  return nameRules.some(({ field, pattern, label }) => {
    if (subject.kind === 'check')
      return field === 'uuid'
        ? pattern.toLowerCase() === subject.uuid.toLowerCase()
        : globMatcher(pattern)(checkName)
    if (field === 'name') return globsOverlap(pattern, subject.pattern)
    const name = currentName(pattern, label)
    return name === undefined || globMatcher(subject.pattern)(name)
  })
}
