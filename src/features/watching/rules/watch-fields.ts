import { durationWords, HOUR_MS, UserError } from '@signalman/runtime'
import type { Arguments, FlagSpecs } from '../../../bot/typed/command-line.ts'
import {
  choiceField,
  type FieldTable,
  fieldEntries,
  flagSpecs,
  readField,
  readFields,
  sayFields,
  switchField,
  toValues as valuesIn,
  writeFields,
} from '../../../bot/typed/fields.ts'
import { menuField } from '../../../bot/typed/menu-field.ts'
import type { Environment } from '../../../domain/environment.ts'
import { MOST_BAD_POLLS } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { isTimeZone } from '../../../domain/zoned-time.ts'
import { namesOf, readEscalation, writeEscalation } from './escalation-steps.ts'
import { FILTER, type FilterValues, filterOf, filterValues } from './filter-fields.ts'
import { readRunbook } from './runbook.ts'
import { REMINDER_HOURS, type ReminderHours, type WatchTerms } from './watch.ts'

/** How it is told; what is not named is as a watch does by itself. */
type TellingValues = Partial<Omit<WatchTerms, 'filter'>>

const USUAL = { afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const

/** The channel's daily summary; undefined leaves it as it is. */
interface SummaryValues {
  digest?: number | 'off' | undefined
  zone?: string | undefined
}

/** Which watch it is, where it tells, and as what it was seen. */
interface PlaceValues {
  env?: Environment | undefined
  channel?: string | undefined
  /** In the person's own direct messages, in place of a channel. */
  me?: true | undefined
  /** The id of the watch that is changed. */
  replace?: string | undefined
  /** The version of what is saved that a window has shown: nothing else is replaced. */
  seen?: string | undefined
}

export type WatchValues = FilterValues & TellingValues & SummaryValues & PlaceValues

const AFTER = ['after the first bad poll', 'after 2 bad polls in a row', 'after 3', 'after 4', 'after 5']

function readAfter(typed: string): number | undefined {
  if (!/^\d$/.test(typed) || Number(typed) < 1 || Number(typed) > MOST_BAD_POLLS)
    throw new UserError(
      `needs a number from 1 to ${MOST_BAD_POLLS}: how many bad polls in a row before an outage is posted.`,
    )
  return Number(typed) === 1 ? undefined : Number(typed)
}

function readReminder(typed: string): ReminderHours | undefined {
  if (/^(?:off|0|never)$/i.test(typed)) return undefined
  for (const hours of REMINDER_HOURS)
    if (hours > 0 && new RegExp(`^${hours} ?h?$`, 'i').test(typed)) return hours
  throw new UserError('needs off, 1, 4, or 24: how often to remind, in hours.')
}

const TELLING: FieldTable<TellingValues> = {
  afterBadPolls: menuField(
    'after',
    'Post an outage',
    AFTER.map((words, index) => [String(index + 1), words] as const),
    { read: readAfter, says: (count) => `after ${count} bad polls in a row` },
  ),
  notify: {
    ...choiceField('notify', 'Cards', ['every'], {
      none: 'one for outages close together',
      labelOf: () => 'one for every outage',
      says: () => 'a card for every outage',
    }),
    spec: ['once', 'every'],
    read: (typed) => (typed === 'every' ? typed : undefined) as 'every',
  },
  reminderHours: menuField<ReminderHours>(
    'remind',
    'Remind about what is still down',
    REMINDER_HOURS.map(
      (hours) => [String(hours), hours === 0 ? 'off' : `every ${durationWords(hours * HOUR_MS)}`] as const,
    ),
    { read: readReminder, says: (hours) => `reminder every ${durationWords(hours * HOUR_MS)}` },
  ),
  escalation: readField('escalate', 'Page while nobody is on it', {
    hint: 'Up to three steps, such as 10m @on-call, 30m @lead. User groups or people.',
    read: readEscalation,
    write: writeEscalation,
    says: (steps) =>
      `pages ${steps.map(({ afterMs, call }) => `${namesOf(call)} after ${durationWords(afterMs)}`).join(', ')} if nobody is on it`,
  }),
  runbook: readField('runbook', 'Runbook', {
    hint: 'A link to what to do about an outage. It is on every card.',
    max: 500,
    placeholder: 'https://wiki.example.com/shop',
    read: readRunbook,
    write: String,
    says: (url) => `runbook ${url}`,
  }),
}

function readHour(typed: string): number | 'off' {
  if (/^(?:off|never)$/i.test(typed)) return 'off'
  if (/^\d{1,2}(?::00)?$/.test(typed) && Number.parseInt(typed, 10) <= 23) return Number.parseInt(typed, 10)
  throw new UserError('needs an hour from 0 to 23, or off.')
}

export const SUMMARY: FieldTable<SummaryValues> = {
  digest: menuField<number | 'off'>(
    'digest',
    'Daily summary of the channel',
    [['off', 'off'], ...Array.from({ length: 24 }, (_, hour) => [String(hour), `at ${hour}:00`] as const)],
    { read: readHour, says: (hour) => (hour === 'off' ? 'no daily summary' : `daily summary at ${hour}:00`) },
  ),
  zone: readField('zone', 'Time zone of the summary', {
    max: 60,
    placeholder: 'Europe/Paris',
    read(typed) {
      if (isTimeZone(typed)) return typed
      throw new UserError(`“${typed}” isn’t a time zone. Type one such as Europe/Paris.`)
    },
    write: String,
  }),
}

const CHANNEL = /^#?([CGD][A-Z0-9]{2,20}(?:\/\d{10}\.\d{6})?)$/

const PLACE: FieldTable<PlaceValues> = {
  env: choiceField('env', 'Environment', ['production', 'ote']),
  channel: readField('channel', 'Channel', {
    read(typed) {
      const [, id] = CHANNEL.exec(typed) ?? []
      if (id) return id
      throw new UserError('needs the ID of a channel, such as C0123456789.')
    },
    write: String,
  }),
  me: switchField('me', 'Only to me', { says: 'only to you' }),
  replace: readField('replace', 'Watch', { read: String, write: String }),
  seen: readField('seen', 'Version', { read: String, write: String }),
}

/** What a watch is, wherever it tells. */
export const TERMS: FieldTable<FilterValues & TellingValues> = { ...FILTER, ...TELLING }
/** What a window of a watch asks for. */
export const ASKED: FieldTable<FilterValues & TellingValues & SummaryValues> = { ...TERMS, ...SUMMARY }
/** Everything that is typed, pressed, said and filed about a watch is made of this one table. */
export const WATCH: FieldTable<WatchValues> = { ...ASKED, ...PLACE }

export const WATCH_FLAGS: FlagSpecs = { ...flagSpecs(WATCH), yes: 'switch' }

/** A `/hc watch` line as read. */
export interface WatchLine {
  values: WatchValues
  /** The name of a check, which is looked up and added to the rules by its UUID. */
  named: readonly string[] | undefined
  /** True when the person has agreed that a channel shared with another organization is told. */
  isSure: boolean
}

const EVERYTHING = /^(?:all|everything|\*)$/i

/** Throws UserError for a number out of bounds, and for a rule that cannot fit anything. */
export function parseWatch({ words, flags, lists = {} }: Arguments): WatchLine {
  const isAll = words.length === 0 || EVERYTHING.test(words.join(' '))
  const patterns = !isAll && words.some((word) => word.includes('*')) ? words : []
  const names = [...patterns, ...(lists.name ?? [])]
  const values = readFields(WATCH, flags, { ...lists, ...(names.length > 0 && { name: names }) })
  termsOf(values)
  return {
    values,
    named: isAll || patterns.length > 0 ? undefined : words,
    isSure: flags.yes === true,
  }
}

/** What of this is not as a watch tells by itself. */
const unusual = (told: TellingValues): TellingValues =>
  valuesIn<TellingValues>(
    fieldEntries(TELLING).map(([name]) => {
      const usual = name in USUAL && told[name] === USUAL[name as keyof typeof USUAL]
      return [name, usual ? undefined : told[name]]
    }),
  )

/** What these values make of a watch. Throws UserError for more conditions than it takes. */
export const termsOf = (values: WatchValues): WatchTerms => ({
  filter: filterOf(values),
  ...USUAL,
  ...unusual(values),
})

/** What a person has decided about a watch. */
export const termsOfWatch = (watch: WatchTerms): WatchTerms => ({
  filter: watch.filter,
  ...USUAL,
  ...unusual(watch),
})

export const valuesOf = (terms: WatchTerms): WatchValues => ({
  ...filterValues(terms.filter),
  ...unusual(terms),
})

/** Where a watch tells, as its line says it. */
export const placeValues = (place: {
  channelId?: string | undefined
  environment: Environment
}): PlaceValues => ({
  env: place.environment,
  ...(place.channelId !== undefined && { channel: place.channelId }),
})

/** The line that asks for this, of the verb that makes it or of the one that opens its window. */
export function watchLine(
  { name = [], ...others }: WatchValues,
  verb: 'watch' | 'watch-edit' = 'watch',
): string {
  // A bare word without a star names one check, which is looked up; a name rule without a star is compared as it is.
  const bare = name.filter(({ pattern }) => pattern.includes('*'))
  const rest = name.filter(({ pattern }) => !pattern.includes('*'))
  const isAll = name.length === 0 && others.uuid === undefined
  return [
    `/hc ${verb}`,
    ...(isAll ? ['all'] : bare.map(({ pattern }) => quoted(pattern))),
    ...writeFields(WATCH, { ...(rest.length > 0 && { name: rest }), ...others }),
  ].join(' ')
}

/** How it tells, where that is not what a watch does by itself; empty then. */
export const termWords = (terms: Omit<WatchTerms, 'filter'>): string[] => sayFields(TELLING, unusual(terms))
