import { DAY_MS, MINUTE_MS, UserError } from '@signalman/runtime'
import {
  choiceField,
  type FieldTable,
  switchField,
  textField,
  writeFields,
} from '../../../../bot/typed/fields.ts'
import { BadDate } from '../../../../domain/dates/bad-date.ts'
import { formatShortDuration, readDuration } from '../../../../domain/dates/duration.ts'
import { readMoment, TIME_PASSED } from '../../../../domain/dates/moment.ts'
import { toDate, toZoned, type Zoned } from '../../../../domain/dates/zoned.ts'
import { cleanTyped } from '../../../../domain/typed-text/clean.ts'
import {
  REPEAT_INTERVALS,
  type RepeatInterval,
  type Silence,
  type SilenceSettings,
} from '../../rules/silence.ts'
import { explainInvalidDuration, formatStart, localDurationMs } from '../../rules/silence-windows.ts'

/** The options of `/hc maintenance`. */
export interface MaintenanceOptions {
  from?: string
  for?: string
  every?: RepeatInterval
  because?: string
  isEverywhere?: true
}

const START_EXAMPLES = 'Monday 22:00, tomorrow 6:00, 2026-12-01 22:00, 22:00, or now'
const MAX_REASON = 200

export const MAINTENANCE_FIELDS: FieldTable<MaintenanceOptions> = {
  from: textField('from', 'From', { hint: `${START_EXAMPLES}.`, isRequired: true }),
  for: textField('for', 'For how long', { hint: '30m, 2h, 1h 30m, 2d, or until 4:00.', isRequired: true }),
  every: choiceField('every', 'Repeat', REPEAT_INTERVALS, {
    none: 'Once',
    formatLabel: (every) => `Every ${every}`,
    describe: (every) => `every ${every}`,
  }),
  because: textField('because', 'Why', {
    hint: 'Shown in the announcement.',
    read(typed) {
      if (typed.length <= MAX_REASON) return typed
      throw new UserError(`can have up to ${MAX_REASON} characters.`)
    },
  }),
  isEverywhere: switchField('everywhere', 'In every channel of the workspace (admins only)', {
    description: 'in every channel',
    title: 'Where',
  }),
}

/** The settings of maintenance, except its subject, as JSON stored with the request. `from` is in ISO 8601. */
export type StoredPlan = Omit<SilenceSettings, 'subject' | 'from' | 'forMs'> & {
  readonly from: string
  readonly forMs: number
}

/**
 * Parses the typed times. Keeps the exact start of a window that has begun, or whose start wasn't edited. Throws UserError if the
 * start is missing, invalid, or in the past, or if the duration isn't allowed.
 */
export function readPlan(
  options: MaintenanceOptions,
  now: Date,
  before: Pick<Silence, 'timeZone'> & Partial<Pick<Silence, 'from'>>,
): StoredPlan {
  const { every, because = '' } = options
  const { timeZone, from } = before
  const keepsStart = from && (from <= now || options.from === formatStart({ from, timeZone }))
  const start = keepsStart ? from : readFrom(options.from, now, timeZone)
  const forMs = readLength(options, toZoned(start, timeZone))
  return { from: start.toISOString(), forMs, ...(every && { every }), timeZone, reason: because.trim() }
}

const UNTIL = /^(?:until|till|to) (?<end>.+)$/i
const HOW_LONG = 'Type --for 30m, 2h, 1h 30m, or 2d, or --for "until 4:00".'

/** Reads the typed duration, or the end. Throws UserError. */
function readLength({ for: typed = '', every }: MaintenanceOptions, start: Zoned): number {
  const text = cleanTyped(typed)
  const end = UNTIL.exec(text)?.groups?.end
  const minutes = readDuration(text)
  const forMs = end === undefined ? minutes && minutes * MINUTE_MS : readEnd(end, start, every)
  if (forMs === undefined)
    throw new UserError(
      `${text ? `“${text.slice(0, 40)}” isn’t a duration. ` : ''}How long does it take? ${HOW_LONG}`,
    )
  const problem = explainInvalidDuration({ forMs, ...(every && { every }) })
  if (problem) throw new UserError(problem)
  return forMs
}

/** The time until the typed end. Of a recurring window, as clocks show it. Undefined if it isn't a time after the start. */
function readEnd(typed: string, start: Zoned, every: RepeatInterval | undefined): number | undefined {
  const end = readEndMoment(typed, start)
  if (end === undefined || end === 'now') return undefined
  const [from, to] = [toDate(start), toDate(end)]
  if (to <= from) throw new UserError(`Maintenance has to end after it starts. ${HOW_LONG}`)
  return every ? localDurationMs(from, to, start.timeZoneId) : to.getTime() - from.getTime()
}

function readEndMoment(typed: string, start: Zoned): Zoned | 'now' | undefined {
  try {
    return readMoment(typed, start)
  } catch (error) {
    if (error instanceof BadDate) throw new UserError(`${error.message} ${HOW_LONG}`)
    throw error
  }
}

/** Reads the typed start. Throws UserError. */
function readFrom(typed: string | undefined, now: Date, timeZone: string): Date {
  const text = cleanTyped(typed ?? '')
  const moment = readMoment(text, toZoned(now, timeZone))
  if (!moment)
    throw new UserError(
      `${text ? `“${text.slice(0, 40)}” isn’t a time. ` : ''}When does it start? Type --from ${START_EXAMPLES}.`,
    )
  const from = moment === 'now' ? now : toDate(moment)
  if (from < now) throw new UserError(TIME_PASSED)
  if (from.getTime() - now.getTime() > 366 * DAY_MS)
    throw new UserError('Maintenance has to start within a year.')
  return from
}

export const toMaintenanceOptions = (window: Silence): MaintenanceOptions => ({
  from: formatStart(window),
  for: formatShortDuration((window.forMs ?? 0) / MINUTE_MS),
  ...(window.every && { every: window.every }),
  because: window.reason,
  ...(window.channelId === undefined && { isEverywhere: true }),
})

/** Formats the command that opens the window with the typed values. */
export const formatEditCommand = (checks: string, options: MaintenanceOptions): string =>
  ['/hc maintenance-edit', checks, ...writeFields(MAINTENANCE_FIELDS, options)].filter(Boolean).join(' ')
