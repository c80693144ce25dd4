import { MINUTE_MS, parseDuration, type SuggestedCommand, UserError } from '@signalman/runtime'
import { cmd } from '../../../../domain/command-names.ts'
import { quoted } from '../../../../domain/quoting.ts'
import { parseMoment, TIME_PASSED } from '../../../../domain/typed-moment.ts'

/** What to mute, as typed: everything, a name pattern, or one check by its name or UUID. */
export type TypedSubject =
  | { kind: 'all' }
  | { kind: 'name'; pattern: string }
  | { kind: 'check'; words: readonly string[] }

export interface ParsedMute {
  subject: TypedSubject
  /** Undefined: until someone ends it. */
  until: Date | undefined
}

const MAX_PATTERN_LENGTH = 200
const MIN_MUTE_MS = 15 * MINUTE_MS
const MAX_MUTE_MS = 7 * 24 * 60 * MINUTE_MS
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS
/** The longest way to type a time has four words: `2 d 3 h`. */
const MAX_TIME_WORDS = 4

const LEADING_WORD = /^(?:for(?! ever)|until|till)\s+/i

/**
 * Parses `web-* 2h`, `Bank open API until 2026-12-01 09:00`, or `all forever`. The time at the end may have several words, so it
 * tries the most words first. Throws UserError if the subject or the time is missing.
 */
export function parseMute(words: readonly string[], now: Date, timeZone: string): ParsedMute {
  for (let count = Math.min(MAX_TIME_WORDS, words.length); count > 0; count -= 1) {
    const end = readEnd(words.slice(-count).join(' '), now, timeZone)
    if (end === undefined) continue
    const subjectWords = words.slice(0, -count)
    if (/^(?:for|until|till)$/i.test(subjectWords.at(-1) ?? '')) subjectWords.pop()
    return { subject: parseSubject(subjectWords), until: validateEnd(end, now) }
  }
  if (words.length === 0) throw new UserError(usageText())
  const [last = ''] = /(?:(?<!\S)\d+ +)?\S+$/.exec(words.join(' ')) ?? []
  // If the last word has no digit, it is probably part of the name, so offer common durations.
  const suggestions = /\d/.test(last) ? [] : listDurations(words.join(' '))
  throw new UserError(`For how long? ${DURATION_HELP} “${last}” isn’t one of these.`, suggestions)
}

/** Lists buttons for common durations. */
export const listDurations = (subject: string): SuggestedCommand[] =>
  [
    ['30m', '30 minutes'],
    ['1h', '1 hour'],
    ['4h', '4 hours'],
    ['1d', '1 day'],
  ].map(([length = '', label = '']) => ({ label, line: `/hc mute ${quoted(subject)} ${length}` }))

/** Parses a subject that was typed without a time. Throws UserError if only a time was typed. */
export function parseSubjectWithoutTime(words: readonly string[], now: Date): TypedSubject {
  return parseSubject(readEnd(words.join(' '), now, 'UTC') ? [] : words)
}

/** Parses the subject of a mute. Throws UserError if there is none. */
export function parseSubject(words: readonly string[]): TypedSubject {
  const subject = words.join(' ').trim()
  if (subject === '') throw new UserError(usageText())
  if (/^(?:all|everything|\*)$/i.test(subject)) return { kind: 'all' }
  if (subject.length > MAX_PATTERN_LENGTH)
    throw new UserError(`A name or pattern can have up to ${MAX_PATTERN_LENGTH} characters.`)
  return subject.includes('*') ? { kind: 'name', pattern: subject } : { kind: 'check', words }
}

export const DURATION_HELP =
  'Type 15m to 7d (30m, 2 hours, 1d), a date (25 Dec, 2026-12-25, or 2026-12-25 09:00), tomorrow, or a weekday (Monday 9:00); an admin may type forever.'
const usageText = (): string =>
  `What should be muted, and for how long? ${cmd('/hc mute')} NAME 2h, ${cmd('/hc mute')} web-* 1d, ${cmd('/hc mute')} all 30m. ${DURATION_HELP}`

type TypedEnd = { kind: 'duration'; ms: number } | { kind: 'date'; at: Date } | { kind: 'forever' }

/** Parses the end of a mute. Undefined if the text isn't a time. */
function readEnd(text: string, now: Date, timeZone: string): TypedEnd | undefined {
  const typed = text.replace(LEADING_WORD, '')
  const ms = parseDuration(typed)
  if (ms !== undefined) return { kind: 'duration', ms }
  if (/^(?:for ?ever|always)$/i.test(typed)) return { kind: 'forever' }
  const at = parseMoment(typed, now, timeZone)
  return at && { kind: 'date', at }
}

/** Throws UserError for an end that is too soon, too late, or in the past. */
function validateEnd(end: TypedEnd, now: Date): Date | undefined {
  if (end.kind === 'forever') return undefined
  const ms = end.kind === 'duration' ? end.ms : end.at.getTime() - now.getTime()
  if (ms <= 0) throw new UserError(TIME_PASSED)
  if (ms < MIN_MUTE_MS) throw new UserError('A mute lasts at least 15 minutes.')
  if (end.kind === 'duration' && ms > MAX_MUTE_MS)
    throw new UserError(
      'A mute with a duration can last up to 7 days. For longer, type the date when it ends, such as 2026-12-01.',
    )
  if (ms > YEAR_MS)
    throw new UserError('A mute has to end within a year. An admin can type forever instead of a date.')
  return end.kind === 'duration' ? new Date(now.getTime() + ms) : end.at
}
