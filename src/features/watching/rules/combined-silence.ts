import { getEndMs, globMatcher, globsOverlap } from './matching.ts'
import { isRunning, type Silence, type SilenceSubject } from './silence.ts'

/** Whether a silence covers all, some, or none of the checks that another subject names. */
export type Overlap = 'all' | 'some' | 'none'

/** Compares what a silence covers with a subject, as far as names can tell. */
export function compareSubjects(silence: SilenceSubject, subject: SilenceSubject): Overlap {
  if (silence.kind === 'all') return 'all'
  if (subject.kind === 'all') return 'some'
  if (silence.kind === 'check' && subject.kind === 'check')
    return silence.uuid.toLowerCase() === subject.uuid.toLowerCase() ? 'all' : 'none'
  if (silence.kind === 'check')
    return subject.kind === 'name' && globMatcher(subject.pattern)(silence.name) ? 'some' : 'none'
  // A pattern that matches another pattern's text matches everything that the other one does.
  if (globMatcher(silence.pattern)(subject.kind === 'check' ? subject.name : subject.pattern)) return 'all'
  return subject.kind === 'name' && globsOverlap(silence.pattern, subject.pattern) ? 'some' : 'none'
}

/** A running silence has begun, even if the clock was set back since. */
const getStartMs = ({ state, from }: Pick<Silence, 'state' | 'from'>): number =>
  state === 'running' ? 0 : from.getTime()

/**
 * Adds up the silences of one place and environment. `last` covers the whole subject and ends last, if it's silenced now. A window
 * that begins before the others end counts too. `partly` are those that silence only some of the checks, but longer.
 */
export function combineSilences<T extends Pick<Silence, 'subject' | 'from' | 'to' | 'state'>>(
  subject: SilenceSubject,
  silences: readonly T[],
  now: Date,
): { readonly last: T | undefined; readonly partly: readonly T[] } {
  const byStart = silences
    .filter(({ state, to }) => state !== 'over' && (!to || to > now))
    .toSorted((left, right) => getStartMs(left) - getStartMs(right))
  let last: T | undefined
  const isInTime = (silence: T): boolean =>
    isRunning(silence, now) || (last !== undefined && silence.from.getTime() <= getEndMs(last))
  const listOverlapping = (overlap: Overlap) =>
    byStart.filter((silence) => compareSubjects(silence.subject, subject) === overlap)
  for (const silence of listOverlapping('all'))
    if (isInTime(silence) && (!last || getEndMs(silence) > getEndMs(last))) last = silence
  const endMs = last ? getEndMs(last) : now.getTime()
  return {
    last,
    partly: listOverlapping('some').filter((silence) => isInTime(silence) && getEndMs(silence) > endMs),
  }
}
