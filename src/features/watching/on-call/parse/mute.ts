import { DAY_MS, MINUTE_MS, type SuggestedCommand, UserError } from '@signalman/runtime'
import type { Arguments } from '../../../../bot/grammar/read-words.ts'
import { cmd } from '../../../../domain/command-names.ts'
import { readDuration } from '../../../../domain/dates/duration.ts'
import { readMoment, TIME_PASSED } from '../../../../domain/dates/moment.ts'
import { toDate, toZoned } from '../../../../domain/dates/zoned.ts'
import { type TypedSubject, toSubject } from './subject.ts'

export interface ParsedMute {
  subject: TypedSubject
  /** Undefined: until someone ends it. */
  until: Date | undefined
}

const MIN_MUTE_MS = 15 * MINUTE_MS
const MAX_MUTE_MS = 7 * DAY_MS
const YEAR_MS = 366 * DAY_MS

/** Whether a line says how long to mute. */
export const hasEnd = ({ values }: Arguments): boolean =>
  values.for !== undefined || values.until !== undefined || values.forever !== undefined

/** Reads what to mute and until when, in the person's time zone. Throws UserError. */
export function parseMute(args: Arguments, now: Date, timeZone: string): ParsedMute {
  if (!hasEnd(args)) throw new UserError(`For how long? ${DURATION_HELP}`)
  const subject = toSubject(args)
  const until = readEnd(args.values, now, timeZone)
  if (subject) return { subject, until }
  throw new UserError(`What should be muted? Type a name, a pattern such as shop*, or all.`, [
    { label: 'Everything in this channel', line: `/hc mute all ${args.words.join(' ')}` },
  ])
}

/** Lists buttons for common durations. `subject` is written as in a line. */
export const listDurations = (subject: string): SuggestedCommand[] =>
  [
    ['30m', '30 minutes'],
    ['1h', '1 hour'],
    ['4h', '4 hours'],
    ['1d', '1 day'],
  ].map(([length = '', label = '']) => ({ label, line: `/hc mute ${subject} ${length}` }))

export const DURATION_HELP =
  'Type 15m to 7d (30m, 2 hours, 1d), a date (25 Dec, 2026-12-25, or 2026-12-25 09:00), tomorrow, or a weekday (Monday 9:00); an admin may type forever.'

/** The error for a line with neither. */
export const createMuteUsageError = (): UserError =>
  new UserError(
    `What should be muted, and for how long? ${cmd('/hc mute')} NAME 2h, ${cmd('/hc mute')} web-* 1d, ${cmd('/hc mute')} all 30m. ${DURATION_HELP}`,
  )

/** Throws UserError for an end that is too soon, too late, or in the past. */
function readEnd({ for: length, until }: Arguments['values'], now: Date, timeZone: string): Date | undefined {
  if (length !== undefined) {
    const ms = (readDuration(length) ?? 0) * MINUTE_MS
    if (ms > MAX_MUTE_MS)
      throw new UserError(
        'A mute with a duration can last up to 7 days. For longer, type the date when it ends, such as 2026-12-01.',
      )
    return requireLength(new Date(now.getTime() + ms), now)
  }
  if (until === undefined) return undefined
  const at = readMoment(until, toZoned(now, timeZone))
  if (at === undefined || at === 'now') throw new UserError(TIME_PASSED)
  return requireLength(toDate(at), now)
}

function requireLength(end: Date, now: Date): Date {
  const ms = end.getTime() - now.getTime()
  if (ms <= 0) throw new UserError(TIME_PASSED)
  if (ms < MIN_MUTE_MS) throw new UserError('A mute lasts at least 15 minutes.')
  if (ms > YEAR_MS)
    throw new UserError('A mute has to end within a year. An admin can type forever instead of a date.')
  return end
}
