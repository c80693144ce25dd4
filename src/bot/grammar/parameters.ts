import { isIP } from 'node:net'
import { BadDate } from '../../domain/dates/bad-date.ts'
import { parseDuration } from '../../domain/dates/duration.ts'
import { parseMoment } from '../../domain/dates/moment.ts'
import { parsePeriod } from '../../domain/dates/period.ts'
import { toZoned } from '../../domain/dates/zoned.ts'
import { EVENT_ID } from '../../domain/event-id.ts'
import type { Word } from '../../domain/quoting.ts'
import { refang } from '../../domain/typed-text/typed-address.ts'

/** Every kind of argument. `pattern`, `name`, `text`, and `event` have no form of their own, so they take what is left. */
export type Kind =
  | 'uuid'
  | 'event'
  | 'person'
  | 'channel'
  | 'address'
  | 'host'
  | 'number'
  | 'interval'
  | 'choice'
  | 'pattern'
  | 'duration'
  | 'moment'
  | 'period'
  | 'name'
  | 'text'

/** An argument of a verb that is typed without a flag. */
export interface Parameter {
  readonly name: string
  readonly kind: Kind
  /** What stands for it in the usage. By default, that of its kind. */
  readonly usage?: string
  readonly required?: true
  /** Several can be typed. Their values are in `lists`. */
  readonly many?: true
  /** The flag that sets the same value. The value is stored under the flag, so a verb reads it in one place. */
  readonly flag?: string
  /** The words of a choice, in lowercase, and the value of each. */
  readonly words?: Readonly<Record<string, string>>
  /** Only one parameter of a group can be typed: `2h`, `until 9:00`, or `forever`. */
  readonly group?: string
  /** True for free text, such as a note. It's kept as typed, with its quotes. */
  readonly isProse?: true
  /** The word that must be before it: the `until` of `until 18:00`. It isn't part of the value. */
  readonly after?: string
}

type ParameterOptions = Omit<Parameter, 'name' | 'kind'>

export const parameter = (name: string, kind: Kind, options: ParameterOptions = {}): Parameter => ({
  name,
  kind,
  ...options,
})

export const choice = (
  name: string,
  words: Readonly<Record<string, string>>,
  options: Omit<ParameterOptions, 'words'> = {},
): Parameter => parameter(name, 'choice', { words, ...options })

/** What stands for a kind in the usage of a verb. */
const PLACEHOLDERS: Readonly<Record<Exclude<Kind, 'choice'>, string>> = {
  uuid: 'UUID',
  event: 'ID',
  person: '@person',
  channel: '#channel',
  address: 'ADDRESS',
  host: 'TARGET',
  number: 'N',
  interval: '60s',
  pattern: 'NAME*',
  duration: '2h',
  moment: 'TIME',
  period: 'PERIOD',
  name: 'NAME',
  text: 'TEXT',
}

export function placeholder({ usage, kind, words = {}, after }: Parameter): string {
  const value = kind === 'choice' ? [...new Set(Object.values(words))].join('|') : PLACEHOLDERS[kind]
  return usage ?? (after ? `${after} ${value}` : value)
}

/** Words that people put before an argument: `for 2h`, `in #ops`, `by @ann`, `to csv`. They may be left out. */
const SMALL_WORDS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  duration: ['for'],
  moment: ['from'],
  period: ['for', 'in'],
  person: ['by'],
  channel: ['in'],
  number: ['to'],
  choice: ['to'],
}

const UUID = /^[{("'`<]*([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})[})"'`>]*$/i
// A link to a page about one health check.
const UUID_IN_LINK = /^https?:\/\/\S*?\/([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![0-9a-f-])\S*$/i
const PERSON = /^@[\p{L}\d][\p{L}\d._-]*$|^[UW](?=[A-Z0-9]*\d)[A-Z0-9]{6,}$/u
export const isPerson = (text: string): boolean => PERSON.test(text)
const ADDRESS = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/
export const isAddress = (text: string): boolean => ADDRESS.test(text)
const HOST = /^[a-z]+:\/\/\S+$|^(?:[\p{L}\d*_-]+\.)+\p{L}{2,}(?::\d+)?(?:\/\S*)?$/iu
const ID = new RegExp(`(?<![0-9a-f])${EVENT_ID}(?![0-9a-f])`, 'i')

/** Longer words are names, patterns, or pasted text, never a kind with its own form. */
const MAX_KIND_LENGTH = 300
/** `1 hour 30 minutes` */
const MAX_RUN = 4
/** `on Monday at 10 pm`, behind a flag. */
const MAX_VALUE = 5
const UNITS = '(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|y|years?)'

const matching =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.test(text) ? text : undefined

/** Only whether the words have the form of a time matters here. The verb reads them in the person's zone. */
const SOME_DAY = toZoned(new Date(0), 'UTC')
const ifRead =
  (read: (text: string) => unknown) =>
  (text: string): string | undefined =>
    read(text) === undefined ? undefined : text

const INTERVAL = new RegExp(`^\\d{1,12} ?${UNITS}$`, 'i')
const EVERY = new RegExp(`^\\d{1,12}(?:[a-z]*| ${UNITS})$`, 'i')
/** `every minute` */
const EVERY_UNIT = /^(?:second|minute|hour)$/i

type Reader = (text: string, parameter: Pick<Parameter, 'words' | 'after'>) => string | undefined

const READERS: Partial<Record<Kind, Reader>> = {
  uuid: (text) => (UUID.exec(text) ?? UUID_IN_LINK.exec(text))?.[1]?.toLowerCase(),
  event: matching(ID),
  person: matching(PERSON),
  channel: matching(/^#[\p{L}\d_-]+$/u),
  address: matching(ADDRESS),
  host: (text) => {
    const address = text.includes('.') || text.includes(':') ? refang(text) : ''
    return HOST.test(address) || isIP(address) || isIP(address.replace(/:\d+$/, '')) ? address : undefined
  },
  number: (text) => /^#?(\d{1,9})$/.exec(text)?.[1],
  choice: (text, { words = {} }) => {
    const word = text.toLowerCase()
    return Object.hasOwn(words, word) ? words[word] : undefined
  },
}

const RUN_READERS: Partial<Record<Kind, Reader>> = {
  // The flag that the parameter stands for reads it. Of two words, the second is a unit. Only behind `every`, a number needs none.
  interval: (text, { after }) => {
    if (after === undefined) return INTERVAL.exec(text)?.[0]
    return EVERY_UNIT.test(text) ? `1 ${text}` : EVERY.exec(text)?.[0]
  },
  duration: ifRead(parseDuration),
  moment: ifRead((text) => parseMoment(text, SOME_DAY)),
  period: ifRead((text) => parsePeriod(text, SOME_DAY)),
}

/** Whether an argument is a time of some kind. */
export const isTime = ({ kind }: Parameter): boolean => kind in RUN_READERS

/** Whether a kind has a form of its own, so that it is found among the other words. */
export const hasForm = ({ kind }: Parameter): boolean =>
  kind !== 'event' && (kind in READERS || kind in RUN_READERS)

/** The arguments that are found among the other words. What is an alternative to a name stands alone in its place. */
export function listFormed(parameters: readonly Parameter[]): Parameter[] {
  const restGroups = new Set(parameters.map((parameter) => !hasForm(parameter) && parameter.group))
  return parameters.filter(
    (parameter) => hasForm(parameter) && (!parameter.group || !restGroups.has(parameter.group)),
  )
}

/** Whether quotes around words make them a name. Elsewhere, they only hold words together. */
export const takesName = (parameters: readonly Parameter[]): boolean =>
  parameters.some(
    ({ kind, flag }) => kind === 'name' || kind === 'pattern' || (kind === 'text' && flag === 'name'),
  )

/**
 * Reads the word at the end as a parameter's kind or, for a time, as many words as it has, with the small word before them. Undefined if
 * they aren't one.
 */
export function readAtEnd(
  parameter: Parameter,
  words: readonly Word[],
  isNameQuoted: boolean,
): Found | undefined {
  const isRun = isTime(parameter)
  for (let count = isRun ? Math.min(MAX_RUN, words.length) : 1; count > 0; count -= 1) {
    const small = isSmallWord(parameter, words.at(-count - 1)) ? 1 : 0
    const found = readRun(parameter, words.slice(-count), small, isNameQuoted)
    if (found) return found
  }
  return undefined
}

/**
 * Reads the word at the start. Of the times, only `every 60 s` may be there. Where no name can begin with it, such as that of
 * “Friday Deals”, a period or another interval may be there, too.
 */
export function readAtStart(
  parameter: Parameter,
  words: readonly Word[],
  isNameQuoted: boolean,
): Found | undefined {
  const isInterval = parameter.kind === 'interval' && (parameter.after !== undefined || !isNameQuoted)
  const isPeriod = parameter.kind === 'period' && !isNameQuoted
  if (isTime(parameter) && !isInterval && !isPeriod) return undefined
  const small = words.length > 1 && isSmallWord(parameter, words[0]) ? 1 : 0
  for (let count = isInterval ? 2 : isPeriod ? MAX_RUN : 1; count > 0; count -= 1) {
    const found = readRun(parameter, words.slice(small, small + count), small, isNameQuoted)
    if (found) return found
  }
  return undefined
}

interface Found {
  readonly value: string
  /** How many words were read, with the small word. */
  readonly count: number
}

function readRun(
  parameter: Parameter,
  run: readonly Word[],
  small: number,
  isNameQuoted: boolean,
): Found | undefined {
  const text = run.map(({ text }) => text).join(' ')
  // After a small word, quotes only hold a value together.
  const isName = isNameQuoted && small === 0 && run[0]?.isQuoted
  const isTooLong = text.length > MAX_KIND_LENGTH
  if (isName || isTooLong) return undefined
  if (parameter.after !== undefined && small === 0) return undefined
  const value = readText(parameter, text)
  return value === undefined ? undefined : { value, count: run.length + small }
}

/** How many of the first words are a value of a parameter, without the small word before it. */
export const countValue = (parameter: Parameter, words: readonly Word[]): number =>
  Array.from({ length: Math.min(words.length, MAX_VALUE) }, (_, at) => words.slice(0, at + 1)).findLastIndex(
    (run) => readText(parameter, run.map(({ text }) => text).join(' ')) !== undefined,
  ) + 1

/** Reads a text as a parameter's kind, without the small word before it. A day or time that doesn't exist has the form of one. */
export function readText(parameter: Parameter, text: string): string | undefined {
  try {
    return (READERS[parameter.kind] ?? RUN_READERS[parameter.kind])?.(text, parameter)
  } catch (error) {
    if (error instanceof BadDate) return text
    throw error
  }
}

/** Whether a word may be left out before a parameter's value, or has to be there. */
const isSmallWord = ({ kind, after }: Parameter, word: Word | undefined): boolean =>
  word !== undefined &&
  !word.isQuoted &&
  (after === undefined ? (SMALL_WORDS[kind] ?? []) : [after]).includes(word.text.toLowerCase())
