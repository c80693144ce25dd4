import { isIP } from 'node:net'
import { BadDate } from '../../domain/dates/bad-date.ts'
import { readDuration } from '../../domain/dates/duration.ts'
import { readMoment } from '../../domain/dates/moment.ts'
import { readPeriod } from '../../domain/dates/period.ts'
import { readSpan } from '../../domain/dates/span.ts'
import { ABBREVIATED_ZONE } from '../../domain/dates/wall-text.ts'
import type { Zoned } from '../../domain/dates/zoned.ts'
import { EVENT_ID } from '../../domain/event-id.ts'
import type { Word } from '../../domain/quoting.ts'
import { refang } from '../../domain/typed-text/typed-address.ts'

/** Every kind of argument, in the order in which words are read. It's the same for all verbs. */
export const KINDS = [
  'uuid',
  'event',
  'person',
  'channel',
  'address',
  'host',
  'number',
  'choice',
  'pattern',
  'span',
  'duration',
  'moment',
  'period',
  'name',
  'text',
] as const
export type Kind = (typeof KINDS)[number]

/** An argument of a verb that is typed without a flag. */
export interface Slot {
  readonly name: string
  readonly kind: Kind
  /** What stands for it in the usage. By default, that of its kind; '' leaves it out. */
  readonly usage?: string
  readonly required?: true
  /** Several can be typed. Their values are in `lists`. */
  readonly many?: true
  /** The flag that sets the same value. The value is stored under the flag, so a verb reads it in one place. */
  readonly flag?: string
  /** Words that can come before it and belong to it: `until 9:00`, `by @ann`. */
  readonly after?: readonly string[]
  /** Words after it that say nothing else: `all health checks`. */
  readonly followedBy?: RegExp
  /** True if it is only read after one of these words. */
  readonly needsWord?: true
  /** The words of a choice, in lowercase, and the value of each. */
  readonly words?: Readonly<Record<string, string>>
  /** Only one slot of a group can be typed: `2h`, `until 9:00`, or `forever`. */
  readonly group?: string
  /** True if the verb reads the words that no slot takes from `words`, and says what is wrong with them. */
  readonly takesRest?: true
  /** True for free text, such as a question or a note. It's kept as typed, with quotes, `please`, and a final full stop. */
  readonly isProse?: true
}

type SlotOptions = Omit<Slot, 'name' | 'kind'>

export const slot = (name: string, kind: Kind, options: SlotOptions = {}): Slot => ({
  name,
  kind,
  ...options,
})

export const choice = (
  name: string,
  words: Readonly<Record<string, string>>,
  options: Omit<SlotOptions, 'words'> = {},
): Slot => slot(name, 'choice', { words, ...options })

/** What stands for a kind in the usage of a verb. */
const PLACEHOLDERS: Readonly<Record<Exclude<Kind, 'choice'>, string>> = {
  uuid: 'UUID',
  event: 'ID',
  person: '@person',
  channel: '#channel',
  address: 'ADDRESS',
  host: 'TARGET',
  number: 'N',
  pattern: 'NAME*',
  span: 'TIME-TIME',
  duration: '2h',
  moment: 'TIME',
  period: 'PERIOD',
  name: 'NAME',
  text: 'TEXT',
}

export const placeholder = ({ usage, kind, words = {} }: Slot): string =>
  usage ?? (kind === 'choice' ? [...new Set(Object.values(words))].join('|') : PLACEHOLDERS[kind])

/** What people call a kind. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  uuid: 'UUID',
  event: 'event ID',
  person: 'person',
  channel: 'channel',
  address: 'email address',
  host: 'address',
  number: 'number',
  choice: 'word',
  pattern: 'pattern',
  span: 'time',
  duration: 'duration',
  moment: 'time',
  period: 'period',
  name: 'name',
  text: 'text',
}

const UUID = /^[{("'`<]*([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})[})"'`>]*$/i
// A link to a page about one health check.
const UUID_IN_LINK = /^https?:\/\/\S*?\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![0-9a-f-])\S*$/i
const PERSON = /^@[\p{L}\d][\p{L}\d._-]*$|^[UW](?=[A-Z0-9]*\d)[A-Z0-9]{6,}$/u
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
const HOST = /^[a-z]+:\/\/\S+$|^(?:[\p{L}\d*_-]+\.)+\p{L}{2,}(?::\d+)?(?:\/\S*)?$/iu

/** Longer words are names, patterns, or pasted text, never a kind with its own form. */
const MAX_KIND_LENGTH = 300

const test =
  (pattern: RegExp, clean: (text: string) => string = (text) => text) =>
  (text: string): string | undefined =>
    pattern.test(text) ? clean(text) : undefined

const READERS: Partial<Record<Kind, (text: string, slot: Pick<Slot, 'words'>) => string | undefined>> = {
  uuid: (text) => (UUID.exec(text) ?? UUID_IN_LINK.exec(text))?.[1]?.toLowerCase(),
  // Also inside an address.
  event: test(new RegExp(`(?<![0-9a-f])${EVENT_ID}(?![0-9a-f])`, 'i')),
  person: test(PERSON),
  channel: test(/^#[\p{L}\d_-]+$/u),
  address: test(ADDRESS),
  host: (text) => {
    const address = text.includes('.') || text.includes(':') ? refang(text) : ''
    return HOST.test(address) || isIP(address) || isIP(address.replace(/:\d+$/, '')) ? address : undefined
  },
  number: test(/^#?\d{1,9}$/, (text) => text.replace('#', '')),
  choice: (text, { words = {} }) => {
    const word = text.toLowerCase()
    return Object.hasOwn(words, word) ? words[word] : undefined
  },
  pattern: test(/\*/),
}

/** Without the comma of a list: `Shop*, Bank*`. */
export const withoutListComma = (text: string): string => text.replace(/(?<=[^,;])[,;]$/, '')

/** Reads a single word as a kind; undefined if it isn't one. Kinds of several words are read by `readRun`. */
export const readWord = (slot: Pick<Slot, 'kind' | 'words'>, { text, isQuoted }: Word): string | undefined =>
  isQuoted || (text.length > MAX_KIND_LENGTH && slot.kind !== 'pattern')
    ? undefined
    : READERS[slot.kind]?.(withoutListComma(text), slot)

const RUN_KINDS: Partial<Record<Kind, (text: string, now: Zoned, isMarked: boolean) => unknown>> = {
  span: readSpan,
  duration: (text) => readDuration(text),
  moment: (text, now, isMarked) => readMoment(text, now, { isMarked }),
  period: (text, now) => readPeriod(text, now),
}

/** Whether a kind can have several words. */
export const isRunKind = (kind: Kind): boolean => kind in RUN_KINDS

/** Whether words are a time of this kind. The verb reads the value later, in the person's time zone. Throws BadDate. */
export const isRun = (kind: Kind, text: string, now: Zoned, isMarked: boolean): boolean =>
  RUN_KINDS[kind]?.(text, now, isMarked) !== undefined

/** The same for words that may also be a wrong or ambiguous time. Never throws BadDate. */
export function isRunOrBadDate(kind: Kind, text: string, now: Zoned, isMarked = true): boolean {
  try {
    return isRun(kind, text, now, isMarked)
  } catch (error) {
    if (error instanceof BadDate) return true
    throw error
  }
}

/** The most words of a time: `from 25 December 2026 at 9:00 pm`. */
export const MAX_RUN = 8
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z.]{0,7}'
const REGION =
  'africa|america|antarctica|arctic|asia|atlantic|australia|brazil|canada|europe|indian|pacific|us'
const TIME_WORD = new RegExp(
  String.raw`^(?:\W*\d.*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z.]{0,7}|${WEEKDAY}(?:,|-${WEEKDAY})?|an?|and|ago|[ap]m|[ap]\.m\.?|at|before|between|business|close|cob|coming|couple|days?|end|eo[dw]|evening|afternoon|for|from|half|hours?|hrs?|in|last|midday|midnight|mins?|minutes?|month|morning|next|night|noon|now|o'?clock|one|two|three|four|five|six|seven|eight|nine|ten|over|overnight|past|quarter|right|since|the|this|through|till|to|today|tomorrow|tonight|until|weeks?|wks?|weekend|previous|year|yesterday|after|on|of|during|starting|[-–—]|[hmdw]|z|utc|gmt|${ABBREVIATED_ZONE}|(?:${REGION})(?:\/[a-z_+-]+){1,2})$`,
  'i',
)

/** Whether a word can be part of a time. Names rarely consist of such words, so most lines are never read as a time. */
export const canBeTime = ({ text, isQuoted }: Word): boolean => !isQuoted && TIME_WORD.test(text)
