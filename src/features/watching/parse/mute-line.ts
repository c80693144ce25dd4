import { MINUTE_MS, Question, readDuration, UserError } from '@signalman/runtime'
import { quoted } from '../../../domain/quoting.ts'
import { momentOf, wallTimeOf } from '../../../domain/zoned-time.ts'

/** What is to be muted, as typed: everything here, checks whose names fit a pattern, or one check by name or UUID. */
export type TypedSubject =
  | { kind: 'all' }
  | { kind: 'name'; pattern: string }
  | { kind: 'check'; words: readonly string[] }

export interface MuteLine {
  subject: TypedSubject
  /** Undefined: until somebody ends it. */
  until: Date | undefined
}

const MOST_PATTERN = 200
const LEAST_MS = 15 * MINUTE_MS
const MOST_MS = 7 * 24 * 60 * MINUTE_MS
const YEAR_MS = 366 * 24 * 60 * MINUTE_MS
/** The time at which a mute ends whose end is typed as a date only. */
const MORNING = 9

/** Reads `web-* 2h`, `Bank open API until 2026-12-01 09:00`, `all forever`. Throws UserError and Question that say what is missing. */
export function parseMute(words: readonly string[], now: Date, timeZone: string): MuteLine {
  for (const count of [2, 1]) {
    const when = words.slice(-count)
    if (when.length < count) continue
    const end = readEnd(when.join(' '), now, timeZone)
    if (end === undefined) continue
    const named = words.slice(0, -count)
    if (/^(?:for|until)$/i.test(named.at(-1) ?? '')) named.pop()
    return { subject: parseSubject(named), until: checked(end, now) }
  }
  const [subject, ...others] = words
  if (subject === undefined) throw new UserError(HOW)
  if (others.length === 0) throw lengthQuestion(subject)
  throw new UserError(`For how long? ${LENGTHS} “${words.at(-1)}” is none of these.`)
}

/** Of one word that is no time, it is the time that is missing: the word names what is to be muted. */
function lengthQuestion(subject: string): Question {
  parseSubject([subject])
  return new Question(
    `For how long is “${subject}” to be muted? ${LENGTHS}`,
    OFFERED_LENGTHS.map(([length, label]) => ({ label, line: `/hc mute ${quoted(subject)} ${length}` })),
  )
}

/** What a mute is about, or which mute is ended. Throws UserError when nothing is named. */
export function parseSubject(words: readonly string[]): TypedSubject {
  const named = words.join(' ').trim()
  if (named === '') throw new UserError(HOW)
  if (/^(?:all|everything|\*)$/i.test(named)) return { kind: 'all' }
  if (named.length > MOST_PATTERN)
    throw new UserError(`What is muted is named in ${MOST_PATTERN} characters at most.`)
  return named.includes('*') ? { kind: 'name', pattern: named } : { kind: 'check', words }
}

/** The lengths that are offered, as typed and in words. */
export const OFFERED_LENGTHS = [
  ['30m', '30 minutes'],
  ['1h', '1 hour'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['7d', '7 days'],
] as const

const LENGTHS =
  'Type 15m to 7d (30m, 2h, 1d), a date (2026-12-01 or 2026-12-01 09:00), tomorrow, or a weekday; an admin may type forever.'
const HOW = `What is to be muted, and for how long? /hc mute NAME 2h, /hc mute web-* 1d, /hc mute all 30m. ${LENGTHS}`

type End = { kind: 'for'; ms: number } | { kind: 'at'; at: Date } | { kind: 'ever' }

/** The end of a mute, as typed or chosen; undefined when it is not a time. */
function readEnd(typed: string, now: Date, timeZone: string): End | undefined {
  const ms = readDuration(typed)
  if (ms !== undefined) return { kind: 'for', ms }
  if (/^(?:for ?ever|always)$/i.test(typed)) return { kind: 'ever' }
  const at = readMoment(typed, now, timeZone)
  return at && { kind: 'at', at }
}

/** Throws UserError for an end that is too soon, too late, or in the past. */
function checked(end: End, now: Date): Date | undefined {
  if (end.kind === 'ever') return undefined
  const ms = end.kind === 'for' ? end.ms : end.at.getTime() - now.getTime()
  if (ms <= 0) throw new UserError('That time has passed already. Type one that is still to come.')
  if (ms < LEAST_MS) throw new UserError('A mute lasts 15 minutes at least.')
  if (end.kind === 'for' && ms > MOST_MS)
    throw new UserError(
      'A mute of that kind lasts 7 days at most. Type the date on which it ends, such as 2026-12-01.',
    )
  if (ms > YEAR_MS)
    throw new UserError('A mute ends within a year; an admin may type forever in place of a date.')
  return end.kind === 'for' ? new Date(now.getTime() + ms) : end.at
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{1,2}):(\d{2}))?(z)?$/i
const TIME = /^(\d{1,2}):(\d{2})$/
const DAY = /^(tomorrow|sunday|monday|tuesday|wednesday|thursday|friday|saturday)(?: (\d{1,2}):(\d{2}))?$/i
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** A date, a time of day, or a weekday, in the person's time zone; undefined for anything else. */
function readMoment(typed: string, now: Date, timeZone: string): Date | undefined {
  return readDate(typed, timeZone) ?? readTime(typed, now, timeZone) ?? readDay(typed, now, timeZone)
}

/** Throws UserError for a day or a time that there is not: read on, its end alone would be taken for a time of today. */
function readDate(typed: string, timeZone: string): Date | undefined {
  const [, year, month, day, hour = MORNING, minute = 0, utc] = DATE.exec(typed) ?? []
  if (year === undefined) return undefined
  const wall = numbers({ year, month, day, hour, minute })
  if (!isDay(wall) || !isTime(wall)) throw new UserError(`There is no ${typed}. ${LENGTHS}`)
  return momentOf(wall, utc ? 'UTC' : timeZone)
}

/** The next moment with this time of day. */
function readTime(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, hour, minute] = TIME.exec(typed) ?? []
  if (hour === undefined) return undefined
  const wall = { ...wallTimeOf(now, timeZone), ...numbers({ hour, minute }) }
  if (!isTime(wall)) return undefined
  const at = momentOf(wall, timeZone)
  return at > now ? at : momentOf({ ...wall, day: wall.day + 1 }, timeZone)
}

/** A weekday means the next one with this name; today's name means in a week. */
function readDay(typed: string, now: Date, timeZone: string): Date | undefined {
  const [, name, hour = MORNING, minute = 0] = DAY.exec(typed) ?? []
  if (name === undefined) return undefined
  const today = wallTimeOf(now, timeZone)
  const wanted = WEEKDAYS.indexOf(name.toLowerCase())
  const days = wanted === -1 ? 1 : ((wanted - today.weekday + 6) % 7) + 1
  const wall = { ...today, ...numbers({ hour, minute }), day: today.day + days }
  return isTime(wall) ? momentOf(wall, timeZone) : undefined
}

function numbers<K extends string>(texts: Record<K, string | number | undefined>): Record<K, number> {
  // The keys of the result are those of the input.
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Number(text)])) as Record<
    K,
    number
  >
}

const isTime = ({ hour, minute }: { hour: number; minute: number }): boolean => hour < 24 && minute < 60

function isDay({ year, month, day }: { year: number; month: number; day: number }): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
