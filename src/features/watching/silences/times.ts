import { MINUTE_MS, type SuggestedCommand, UserError } from '@signalman/runtime'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { choiceField, type FieldTable, switchField, textField } from '../../../bot/typed/fields.ts'
import { BadDate } from '../../../domain/dates/bad-date.ts'
import { parseDuration } from '../../../domain/dates/duration.ts'
import { parseMoment, TIME_PASSED } from '../../../domain/dates/moment.ts'
import { Temporal, toDate, toZoned } from '../../../domain/dates/zoned.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import {
  explainInvalidLength,
  REPEAT_INTERVALS,
  type RepeatInterval,
  type SilenceTimes,
} from '../rules/silence.ts'

export interface MaintenanceOptions {
  from?: string
  for?: string
  every?: RepeatInterval
  because?: string
  isEverywhere?: true
}

export const MAINTENANCE_FIELDS: FieldTable<MaintenanceOptions> = {
  from: textField('from', 'From', {
    hint: 'Monday 22:00, tomorrow 6:00, 2026-12-01 22:00, 22:00, or now.',
    isRequired: true,
  }),
  for: textField('for', 'For how long', { hint: '30m, 2h, 2d, or until 4:00.', isRequired: true }),
  every: choiceField('every', 'Repeat', REPEAT_INTERVALS, {
    none: 'Once',
    formatLabel: (every) => `Every ${every}`,
    describe: (every) => `every ${every}`,
  }),
  because: textField('because', 'Why', { hint: 'Shown in the list of watches.' }),
  isEverywhere: switchField('everywhere', 'In every channel of the workspace (admins only)', {
    description: 'in every channel',
    title: 'Where',
  }),
}

export function parseMaintenanceStart(
  { from: typed = '', every }: MaintenanceOptions,
  now: Date,
  timeZone: string,
): Date {
  const from = parseTime(typed, now, timeZone, [
    'When does it start?',
    'Type a time, such as Mon 22:00 or now.',
  ])
  if (from < now && !every) throw new UserError(TIME_PASSED)
  return from
}

export function parseMaintenanceTimes(
  { for: typedFor = '', every }: MaintenanceOptions,
  from: Date,
  timeZone: string,
): SilenceTimes {
  const until = /^(?:until|till|to) (?<end>.+)$/i.exec(cleanTyped(typedFor))?.groups?.end
  return checkTimes({
    from,
    to: parseEnd({ length: typedFor, until, every }, from, timeZone),
    every,
    timeZone,
  })
}

export const hasEnd = ({ values }: Pick<Arguments, 'values'>): boolean =>
  values.for !== undefined || values.until !== undefined

/** Parses how long to mute from now on. `subject` is written as in a line. Throws UserError. */
export function parseMuteTimes(
  { values }: Pick<Arguments, 'values'>,
  { now, timeZone, subject }: { readonly now: Date; readonly timeZone: string; readonly subject: string },
): SilenceTimes {
  const to = parseEnd({ length: values.for, until: values.until }, now, timeZone)
  return checkTimes({ from: now, to, timeZone }, listDurations(subject))
}

function parseEnd(
  {
    length = '',
    until,
    every,
  }: { length?: string | undefined; until?: string | undefined; every?: RepeatInterval | undefined },
  from: Date,
  timeZone: string,
): Date {
  const help = `Type ${LENGTHS}.`
  if (until !== undefined) return parseTime(until, from, timeZone, [`“${until}” isn’t a time.`, help])
  const minutes = parseDuration(cleanTyped(length))
  if (minutes === undefined) throw new UserError(`For how long? ${help}`)
  if (!every) return new Date(from.getTime() + minutes * MINUTE_MS)
  const end = toZoned(from, timeZone).toPlainDateTime().add(Temporal.Duration.from({ minutes }))
  const to = end.toZonedDateTime(timeZone)
  // Later windows last as long as clocks show it for the first one.
  if (to.toPlainDateTime().equals(end)) return toDate(to)
  throw new UserError('The clocks skip the end of its first window. Begin it on another day.')
}

function parseTime(
  typed: string,
  now: Date,
  timeZone: string,
  [problem, help]: readonly [string, string],
): Date {
  try {
    const moment = parseMoment(cleanTyped(typed), toZoned(now, timeZone))
    if (moment !== undefined) return moment === 'now' ? now : toDate(moment)
  } catch (error) {
    if (!(error instanceof BadDate)) throw error
    throw new UserError(`${error.message} ${help}`)
  }
  throw new UserError(`${problem} ${help}`)
}

function checkTimes(times: SilenceTimes, instead: readonly SuggestedCommand[] = []): SilenceTimes {
  const problem = explainInvalidLength(times)
  if (problem) throw new UserError(problem, instead)
  return times
}

const LENGTHS = 'a duration (30m, 2h, 1d), or a time (until 17:00, until Monday, until 2026-12-25)'

/** Buttons for common durations. `subject` is written as in a line. */
export const listDurations = (subject: string, flags = '', verb = '/hc mute'): SuggestedCommand[] =>
  [
    ['30m', '30 minutes'],
    ['1h', '1 hour'],
    ['4h', '4 hours'],
    ['1d', '1 day'],
  ].map(([length = '', label = '']) => ({ label, line: `${verb} ${subject} ${length}${flags}` }))
