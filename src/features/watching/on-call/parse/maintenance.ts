import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration, UserError } from '@signalman/runtime'
import type { Arguments } from '../../../../bot/grammar/read-words.ts'
import {
  choiceField,
  type FieldTable,
  readFields,
  switchField,
  textField,
  writeFields,
} from '../../../../bot/typed/fields.ts'
import { readSpan } from '../../../../domain/dates/span.ts'
import { formatMoment, toZoned } from '../../../../domain/dates/zoned.ts'
import { parseMoment, TIME_PASSED } from '../../../../domain/typed-moment.ts'
import {
  REPEAT_INTERVALS,
  type RepeatInterval,
  type Silence,
  type SilenceSettings,
} from '../../rules/silence.ts'
import { explainInvalidDuration, formatStart } from '../../rules/silence-windows.ts'

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
  for: textField('for', 'For how long', { hint: '30m, 2h, 1h 30m, or 2d.', isRequired: true }),
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

/** The options of a typed line. A span such as `Sunday 2-4 am` sets the start and the duration. Throws BadDate. */
export function readOptions({ flags, values }: Arguments, now: Date, timeZone: string): MaintenanceOptions {
  const options = readFields(MAINTENANCE_FIELDS, flags)
  const span = values.span === undefined ? undefined : readSpan(values.span, toZoned(now, timeZone))
  if (!span) return options
  if (options.from !== undefined || options.for !== undefined)
    throw new UserError(`“${values.span}” already has a start and an end. Leave out the other time.`)
  const minutes = Math.round((span.end.epochMilliseconds - span.start.epochMilliseconds) / MINUTE_MS)
  return { ...options, from: formatMoment(span.start), for: `${minutes}m` }
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
  const forMs = readDuration(options)
  const keepsStart = from && (from <= now || options.from === formatStart({ from, timeZone }))
  const start = keepsStart ? from : readFrom(options.from, now, timeZone)
  return { from: start.toISOString(), forMs, ...(every && { every }), timeZone, reason: because.trim() }
}

/** Reads the typed duration. Throws UserError. */
function readDuration({ for: typed = '', every }: MaintenanceOptions): number {
  const forMs = parseDuration(typed.trim())
  const problem =
    forMs === undefined
      ? `${typed ? `“${typed.slice(0, 40)}” isn’t a duration. ` : ''}How long does it take? Type --for 30m, 2h, 1h 30m, or 2d.`
      : explainInvalidDuration({ forMs, ...(every && { every }) })
  if (forMs === undefined || problem) throw new UserError(problem ?? '')
  return forMs
}

/** Reads the typed start. Throws UserError. */
function readFrom(typed: string | undefined, now: Date, timeZone: string): Date {
  const trimmed = typed?.trim() ?? ''
  const from = /^now$/i.test(trimmed) ? now : parseMoment(trimmed, now, timeZone)
  if (!from)
    throw new UserError(
      `${trimmed ? `“${trimmed.slice(0, 40)}” isn’t a time. ` : ''}When does it start? Type --from ${START_EXAMPLES}.`,
    )
  if (from < now) throw new UserError(TIME_PASSED)
  if (from.getTime() - now.getTime() > 366 * DAY_MS)
    throw new UserError('Maintenance has to start within a year.')
  return from
}

/** `1h 30m` */
function formatShortDuration(ms: number): string {
  const parts = [
    [Math.floor(ms / DAY_MS), 'd'],
    [Math.floor((ms % DAY_MS) / HOUR_MS), 'h'],
    [Math.floor((ms % HOUR_MS) / MINUTE_MS), 'm'],
  ] as const
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join(' ')
}

export const toMaintenanceOptions = (window: Silence): MaintenanceOptions => ({
  from: formatStart(window),
  for: formatShortDuration(window.forMs ?? 0),
  ...(window.every && { every: window.every }),
  because: window.reason,
  ...(window.channelId === undefined && { isEverywhere: true }),
})

/** Formats the command that opens the window with the typed values. */
export const formatEditCommand = (checks: string, options: MaintenanceOptions): string =>
  ['/hc maintenance-edit', checks, ...writeFields(MAINTENANCE_FIELDS, options)].filter(Boolean).join(' ')
