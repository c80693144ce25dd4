import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration, UserError } from '@signalman/runtime'
import {
  choiceField,
  type FieldTable,
  switchField,
  textField,
  writeFields,
} from '../../../../bot/typed/fields.ts'
import { quoted } from '../../../../domain/quoting.ts'
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

/** Matches a start: `22:00`, `tonight at 10pm`, or `on Sunday from 22:00`. */
const START_PATTERN =
  /(?<= |^)(?:(?:from|on) )?(?:(?<day>today|tonight|tomorrow|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*) )?(?:(?:from|at) )?(?<time>\d{1,2}(?::\d{2})? ?[ap]m|\d{1,2}:\d{2})(?= |$)/i

const RANGE_PATTERN =
  /(?:(?:from|on) )?(?:(?<day>today|tonight|tomorrow|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*) )?(?:from )?(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>[ap]m)? ?(?:-|–|—|to|until|till) ?(?<toHour>\d{1,2})(?::(?<toMinute>\d{2}))? ?(?<toHalf>[ap]m)?(?= |$)/i

/** Extracts a range such as `Sunday 2–4 am` or `tomorrow 22:00 to 1:30` from the words. */
function extractRange(
  words: readonly string[],
  options: MaintenanceOptions,
): ReturnType<typeof extractTimes> | undefined {
  const typed = words.join(' ')
  const match = RANGE_PATTERN.exec(typed)
  const { day = '', hour, minute = '0', half, toHour, toMinute = '0', toHalf } = match?.groups ?? {}
  // `2-4` without a day, minutes, or am/pm may be part of a name.
  if (!match || options.from || !(day || toHalf || match.groups?.toMinute)) return undefined
  // In `2–4 am`, both times are am. In `10–2 pm`, the start is 10:00.
  const from = toMinuteOfDay(hour, minute, half ?? (Number(hour) <= Number(toHour) ? toHalf : undefined))
  const minutes = (toMinuteOfDay(toHour, toMinute, toHalf ?? half) - from + DAY_MINUTES) % DAY_MINUTES
  const rest = `${typed.slice(0, match.index)} ${typed.slice(match.index + match[0].length)}`
  return {
    words: rest.split(' ').filter((word) => word !== '' && !/^(?:for|of|on)$/i.test(word)),
    options: {
      ...options,
      from: `${day} ${Math.floor(from / 60)}:${padTwo(from % 60)}`.trim(),
      for: `${minutes}m`,
    },
  }
}

const DAY_MINUTES = 24 * 60

/** Converts a time to minutes since midnight. `half` is `am` or `pm`, or undefined for a 24-hour time. */
function toMinuteOfDay(hour = '', minute: string, half: string | undefined): number {
  const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour)
  return (hours * 60 + Number(minute)) % DAY_MINUTES
}

/** Moves unquoted times (`--from Mon 22:00 --for 1h 30m`) from the words to the options. */
export function extractTimes(
  words: readonly string[],
  options: MaintenanceOptions,
): { words: string[]; options: MaintenanceOptions } {
  const ranged = extractRange(words, options)
  if (ranged) return ranged
  const timed = extractDuration(extractStart({ words, options }))
  const isTime = (word: string) => /^\d{1,2}:\d{2}$/.test(word)
  const isDuration = (word: string) => parseDuration(word) !== undefined
  const from = [timed.options.from, ...timed.words.filter(isTime)].filter(Boolean).join(' ')
  const length = [timed.options.for, ...timed.words.filter(isDuration)].filter(Boolean).join(' ')
  return {
    words: timed.words.filter((word) => !isTime(word) && !isDuration(word)),
    options: { ...timed.options, ...(from && { from }), ...(length && { for: length }) },
  }
}

interface WordsAndOptions {
  words: readonly string[]
  options: MaintenanceOptions
}

/** Moves a start (`tonight at 22:00`) from the words to the options. */
function extractStart({ words, options }: WordsAndOptions): WordsAndOptions {
  const typed = words.join(' ')
  const match = START_PATTERN.exec(typed)
  const { day = '', time } = match?.groups ?? {}
  if (!match || time === undefined || options.from !== undefined) return { words, options }
  const rest = `${typed.slice(0, match.index)} ${typed.slice(match.index + match[0].length)}`
  return {
    words: rest.split(' ').filter((word) => word !== ''),
    options: { ...options, from: `${day} ${time}`.trim() },
  }
}

/** The longest duration has four words: `1 h 30 m`. */
const MAX_DURATION_WORDS = 4

/** Moves a duration at the end of the words (`for 2 hours`) to the options. */
function extractDuration({ words, options }: WordsAndOptions): WordsAndOptions {
  if (options.for !== undefined) return { words, options }
  for (let count = Math.min(MAX_DURATION_WORDS, words.length); count > 0; count -= 1) {
    const length = words.slice(-count).join(' ')
    if (parseDuration(length) === undefined) continue
    const hasFor = /^for$/i.test(words.at(-count - 1) ?? '')
    return { words: words.slice(0, hasFor ? -count - 1 : -count), options: { ...options, for: length } }
  }
  return { words, options }
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

const padTwo = (value: number): string => String(value).padStart(2, '0')

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
export const formatEditCommand = (words: readonly string[], options: MaintenanceOptions): string =>
  ['/hc maintenance-edit', ...words.map(quoted), ...writeFields(MAINTENANCE_FIELDS, options)].join(' ')
