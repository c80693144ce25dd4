import { UserError } from '@signalman/runtime'
import type { Arguments, FlagSpecs } from '../../../bot/typed/command-line.ts'
import { MOST_BAD_POLLS, WATCHED_STATUSES } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { isTimeZone } from '../../../domain/zoned-time.ts'
import {
  REMINDER_HOURS,
  type ReminderHours,
  type WatchField,
  type WatchRule,
  type WatchTerms,
} from '../rules/watch.ts'

export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

export const WATCH_FLAGS = {
  not: { many: 'value' },
  name: { many: 'value' },
  uuid: { many: 'value' },
  status: { many: WATCHED_STATUSES },
  protocol: { many: PROTOCOLS },
  target: { many: 'value' },
  customer: { many: 'value' },
  after: 'value',
  notify: ['once', 'every'],
  remind: 'value',
  digest: 'value',
  zone: 'value',
  replace: 'value',
  seen: 'value',
  yes: 'switch',
} as const satisfies FlagSpecs

/** A `/hc watch` line as read: its words name one check, or its rules are complete. */
export interface WatchLine {
  terms: WatchTerms
  /** Sets or ends the channel's daily summary; undefined leaves it as it is. */
  digest: TypedDigest | undefined
  /** The id of the watch that this one replaces. */
  replaces: string | undefined
  /** The version of what is saved that a window has shown: nothing else is replaced. */
  seen: string | undefined
  /** The name of a check, which is looked up and added to the rules by its UUID. */
  named: readonly string[] | undefined
  /** True when the person has agreed that a channel shared with another organization is told. */
  isSure: boolean
}

/** `off`, or an hour; without a time zone, that of the person counts. */
export type TypedDigest = 'off' | { hour: number; timeZone: string | undefined }

const MOST_RULES = 50
const MOST_PATTERN = 200
/** The fields other than the name that `--not` takes: `--not target=*.example.org`. */
const OF_FIELD = /^(name|target|protocol|customer|status)\s*[=:]\s*(.+)$/is

/** Throws UserError for a number out of bounds, and for a rule that cannot fit anything. */
export function parseWatch({ words, flags, lists = {} }: Arguments): WatchLine {
  const patterns = words.some((word) => word.includes('*')) ? words : []
  const filter = {
    include: [
      ...[...patterns, ...(lists.name ?? [])].map((pattern) => ruleOf('name', pattern)),
      ...(lists.uuid ?? []).map((pattern) => ruleOf('uuid', pattern)),
      ...(lists.target ?? []).map((pattern) => ruleOf('target', pattern)),
      ...(lists.protocol ?? []).map((pattern) => ruleOf('protocol', pattern)),
      ...(lists.customer ?? []).map((pattern) => ruleOf('customer', pattern)),
      ...(lists.status ?? []).map((pattern) => ruleOf('status', pattern)),
    ].filter(({ field, pattern }) => field !== 'name' || pattern !== '*'),
    exclude: (lists.not ?? []).map(excludedRule),
  }
  if (filter.include.length + filter.exclude.length > MOST_RULES)
    throw new UserError(
      `A watch takes ${MOST_RULES} names and other conditions at most. Make two watches of it.`,
    )
  return {
    terms: {
      filter,
      afterBadPolls: readAfter(flags.after),
      notify: flags.notify === 'every' ? 'every' : 'once',
      reminderHours: readReminder(flags.remind),
    },
    digest: readDigest(flags.digest, flags.zone),
    replaces: typeof flags.replace === 'string' ? flags.replace : undefined,
    seen: typeof flags.seen === 'string' ? flags.seen : undefined,
    named: words.length > 0 && patterns.length === 0 ? words : undefined,
    isSure: flags.yes === true,
  }
}

/** A rule as typed behind `--not` or on a line of the form: a name, or `target=…`, `protocol=…`, `customer=…`, `status=…`. */
export function excludedRule(typed: string): WatchRule {
  const [, field, pattern] = OF_FIELD.exec(typed) ?? []
  if (field === undefined || pattern === undefined) return ruleOf('name', typed)
  // The regular expression lets only these fields through.
  return ruleOf(field.toLowerCase() as WatchField, pattern)
}

/** Throws UserError for a rule that cannot fit anything. */
export function ruleOf(field: WatchField, typed: string): WatchRule {
  const pattern = typed.trim()
  if (pattern === '') throw new UserError('A condition needs something to compare with.')
  if (pattern.length > MOST_PATTERN)
    throw new UserError(`A name or target in a watch has ${MOST_PATTERN} characters at most.`)
  if (field === 'customer' && !/^\d{1,15}$/.test(pattern))
    throw new UserError(`A customer is a whole number; “${pattern}” is none.`)
  if (field === 'protocol') return { field, pattern: oneOf(pattern, PROTOCOLS, 'protocol') }
  if (field === 'status')
    return { field, pattern: oneOf(pattern, WATCHED_STATUSES, 'status that is watched') }
  return { field, pattern }
}

function oneOf(typed: string, known: readonly string[], what: string): string {
  const found = known.find((one) => one === typed.toUpperCase())
  if (found) return found
  throw new UserError(`A ${what} is one of ${known.join(', ')}; “${typed}” is not.`)
}

function readAfter(typed: string | true | undefined): number {
  if (typed === undefined) return 1
  if (
    typeof typed === 'string' &&
    /^\d$/.test(typed) &&
    Number(typed) >= 1 &&
    Number(typed) <= MOST_BAD_POLLS
  )
    return Number(typed)
  throw new UserError(
    `--after takes 1 to ${MOST_BAD_POLLS}: after so many bad polls in a row it is told that a check is down.`,
  )
}

/** Throws UserError for anything but off, 1, 4 or 24 hours. */
export function readReminder(typed: string | true | undefined): ReminderHours {
  if (typed === undefined || typed === true || /^(?:off|0|never)$/i.test(typed)) return 0
  const hours = REMINDER_HOURS.find((known) => known > 0 && new RegExp(`^${known} ?h?$`, 'i').test(typed))
  if (hours) return hours
  throw new UserError(
    '--remind takes off, 1, 4 or 24: the hours after which it is said again what is still down.',
  )
}

/** Throws UserError for a wrong hour or time zone. */
export function readDigest(
  hour: string | true | undefined,
  zone: string | true | undefined,
): TypedDigest | undefined {
  if (typeof hour !== 'string') return undefined
  if (/^(?:off|never)$/i.test(hour)) return 'off'
  if (!/^\d{1,2}(?::00)?$/.test(hour) || Number.parseInt(hour, 10) > 23)
    throw new UserError('--digest takes the hour of the daily summary, 0 to 23, or off.')
  if (typeof zone === 'string' && !isTimeZone(zone))
    throw new UserError(`“${zone}” is no time zone that is known here. One looks like Europe/Paris.`)
  return { hour: Number.parseInt(hour, 10), timeZone: typeof zone === 'string' ? zone : undefined }
}

/** The flags for the digest; empty to leave it as it is. */
export function digestWords(digest: TypedDigest | undefined): string {
  if (digest === undefined) return ''
  if (digest === 'off') return ' --digest off'
  return ` --digest ${digest.hour}${digest.timeZone ? ` --zone ${quoted(digest.timeZone)}` : ''}`
}

/** The flags for what a line replaces, and as what it was seen. */
export const replaceWords = ({ replaces, seen }: Pick<WatchLine, 'replaces' | 'seen'>): string =>
  `${replaces ? ` --replace ${quoted(replaces)}` : ''}${seen ? ` --seen ${quoted(seen)}` : ''}`

/** The line that makes this watch again; `/hc watch` alone watches everything. */
export function watchLine({ filter, afterBadPolls, notify, reminderHours }: WatchTerms): string {
  const { include, exclude } = filter
  // A bare word without a star names one check, which is looked up; a name rule without a star is compared as it is.
  const isBare = ({ field, pattern }: WatchRule): boolean => field === 'name' && pattern.includes('*')
  const flag = (name: string, value: string | number): string => `--${name} ${quoted(String(value))}`
  return [
    '/hc watch',
    ...include.filter(isBare).map(({ pattern }) => quoted(pattern)),
    ...include.filter((rule) => !isBare(rule)).map(({ field, pattern }) => flag(field, pattern)),
    ...exclude.map((rule) => flag('not', excludedWords(rule))),
    ...(afterBadPolls > 1 ? [flag('after', afterBadPolls)] : []),
    ...(notify === 'every' ? ['--notify every'] : []),
    ...(reminderHours > 0 ? [flag('remind', reminderHours)] : []),
  ].join(' ')
}

/** The form that `excludedRule` reads. */
export function excludedWords({ field, pattern }: WatchRule): string {
  return field === 'name' && !OF_FIELD.test(pattern) ? pattern : `${field}=${pattern}`
}
