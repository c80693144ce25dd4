import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { closestWord } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { Refused } from './refused.ts'
import type { Kind } from './slots.ts'

type ValueSpec = 'value' | readonly string[]
type FlagType = 'switch' | ValueSpec | { listOf: ValueSpec }
/**
 * A flag: a switch (`--share`), free text (`--target X`), one value of a closed list, or a repeatable flag with either kind of value.
 * `help` is its description in the verb's help, and `valueName` stands for its value there.
 */
export type FlagSpec =
  | FlagType
  | {
      type: FlagType
      help: string
      synonyms?: ValueSynonyms | undefined
      valueName?: string | undefined
      isNumber?: boolean | undefined
      /** A kind of several words, such as a period: the flag takes all of them without quotes. */
      kind?: Kind | undefined
    }
/** Lowercase synonyms of values. Help and errors show only the values. */
export type ValueSynonyms = Readonly<Record<string, string>>
export type FlagSpecs = Readonly<Record<string, FlagSpec>>
export type FlagValues = Readonly<Record<string, string | true | undefined>>

export const isRepeatable = (spec: FlagType): spec is { listOf: ValueSpec } =>
  typeof spec === 'object' && 'listOf' in spec

export const isNumberFlag = (spec: FlagSpec): boolean =>
  typeof spec === 'object' && 'isNumber' in spec && spec.isNumber === true

export const flagKind = (spec: FlagSpec | undefined): Kind | undefined =>
  typeof spec === 'object' && 'kind' in spec ? spec.kind : undefined

export const flagType = (spec: FlagSpec): FlagType =>
  typeof spec === 'object' && 'type' in spec ? spec.type : spec

/**
 * Flags that are accepted but never suggested, because only the app's own buttons use them. `ask` asks a question, and `sure` and
 * `yes` answer one.
 * `seen` is the version that the person saw. `over` is the person, or the version of the case, to take over from.
 */
export const INTERNAL_FLAGS: ReadonlySet<string> = new Set([
  'after',
  'ask',
  'before',
  'offset',
  'over',
  'page',
  'personal',
  'replace',
  'seen',
  'sure',
  'yes',
])

/** The flags that the help shows. */
export const typedFlags = (specs: FlagSpecs = {}): [string, Extract<FlagSpec, { type: unknown }>][] =>
  Object.entries(specs).flatMap(([flag, spec]) =>
    typeof spec === 'object' && 'help' in spec && flag !== 'env' && !INTERNAL_FLAGS.has(flag)
      ? [[flag, spec]]
      : [],
  )

/** Anything that begins like a flag is one, so that a mistyped flag never becomes part of a name. */
const FLAG = /^--?(\p{L}[^\s=]*)(?:=(.*))?$|^--([^=]*)(?:=(.*))?$/su

/** The name and the value of a typed flag: `--status=down`. Undefined for any other word. */
export function matchFlag({ text, isQuoted }: Word): { name: string; value: string | undefined } | undefined {
  const found = isQuoted ? null : FLAG.exec(text)
  return found ? { name: (found[1] ?? found[3] ?? '').toLowerCase(), value: found[2] ?? found[4] } : undefined
}

export interface ReadFlags {
  flags: Record<string, string | true>
  /** The values of repeatable flags, in the order typed. */
  lists: Record<string, string[]>
  /** The other words. */
  words: Word[]
}

/**
 * Separates the flags from the other words. `verb` is the verb as typed: `/hc list`. Throws Refused.
 */
export function readFlags(
  verb: string,
  typed: readonly Word[],
  specs: FlagSpecs,
  times: FlagTimes = { countWords: () => 1, refuseUnclear: () => undefined },
): ReadFlags {
  const read: ReadFlags = { flags: {}, lists: {}, words: [] }
  const places = new Map<string, Place>()
  for (let index = 0; index < typed.length; ) {
    const place = new FlagPlace(verb, typed, index)
    const flag = readFlag(place, specs, times)
    if (!flag) {
      read.words.push(...typed.slice(index, index + 1))
      index += 1
      continue
    }
    const { name, value, isList } = flag
    if (isList) read.lists[name] = [...(read.lists[name] ?? []), String(value)]
    else {
      const earlier = places.get(name)
      // Without the second, the first one counts.
      if (earlier)
        throw new Refused(`You typed --${name} twice. Type it once.`, [place.lineWith(), earlier.lineWith()])
      read.flags[name] = value
    }
    places.set(name, place)
    index += place.count
  }
  return read
}

/** Reads the values of flags for times. */
export interface FlagTimes {
  /** How many of the words after a flag are its value: `--for 1h 30m`. */
  countWords(flag: string, words: readonly Word[]): number
  /** Throws Refused for a time that can be read in two ways. `lineWith` writes the line with a clear time. */
  refuseUnclear(flag: string, value: string, lineWith: (clear: string) => string): void
}

type Place = Pick<FlagPlace, 'lineWith'>

/** Where a flag and its value are in the typed words. */
class FlagPlace {
  readonly verb: string
  readonly typed: readonly Word[]
  readonly index: number
  count = 1

  constructor(verb: string, typed: readonly Word[], index: number) {
    this.verb = verb
    this.typed = typed
    this.index = index
  }

  /** The line with other words in this place; without it, if there are none. */
  readonly lineWith = (...texts: readonly string[]): string => {
    const words = texts.map((text) => ({ text, isQuoted: false }))
    const [before, after] = [this.typed.slice(0, this.index), this.typed.slice(this.index + this.count)]
    return `${this.verb} ${joinWords([...before, ...words, ...after])}`.trim()
  }
}

/** Reads the flag at a place. Undefined if the word there isn't a flag. Throws Refused. */
function readFlag(
  place: FlagPlace,
  specs: FlagSpecs,
  { countWords, refuseUnclear }: FlagTimes,
): { name: string; value: string | true; isList: boolean } | undefined {
  const { typed, index } = place
  const word = typed[index]
  const found = word && matchFlag(word)
  if (!found) return undefined
  const following = typed.slice(index + 1)
  const { name, value: inline } = found
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
  if (!spec) throw unknownFlag(place.verb, found, specs, place.lineWith)
  const type = flagType(spec)
  if (type === 'switch') {
    if (inline !== undefined) throw switchWithValue(name, inline, place)
    return { name, value: true, isList: false }
  }
  const words = following.slice(0, isFlagOf(specs, following[0]) ? 0 : countWords(name, following))
  const value = inline ?? words.map(({ text }) => text).join(' ')
  if (value === '') throw new Refused(`--${name} needs a value.`)
  if (inline === undefined) place.count = 1 + words.length
  const isList = isRepeatable(type)
  const choice = (meant: string) => place.lineWith(`--${name}=${meant}`)
  refuseUnclear(name, value, choice)
  return { name, value: readValue(name, value, isList ? type.listOf : type, spec, choice), isList }
}

/** Whether a word is a flag, not a value such as `-b`. */
function isFlagOf(specs: FlagSpecs, word: Word | undefined): boolean {
  const flag = word && matchFlag(word)
  return flag !== undefined && (word?.text.startsWith('--') === true || Object.hasOwn(specs, flag.name))
}

function switchWithValue(name: string, value: string, { lineWith }: FlagPlace): Refused {
  const isOff = /^(?:no|false|off|0|n|never)$/i.test(value)
  const isOn = /^(?:yes|true|on|1|y)$/i.test(value)
  return new Refused(`--${name} takes no value. To turn it off, leave it out.`, [
    ...(isOff ? [lineWith()] : []),
    ...(isOn ? [lineWith(`--${name}`)] : []),
  ])
}

/** Names that other programs have for a flag. */
const FLAG_SYNONYMS: Readonly<Record<string, string>> = {
  frequency: 'interval freq every',
  details: 'info verbose v full detail long l',
  full: 'verbose all details',
  name: 'filter search match pattern n q',
  status: 'state s health',
  state: 'status s',
  limit: 'top max count num size per-page head',
  because: 'reason comment message note m description desc text msg why',
  for: 'duration time length t',
  days: 'period since last d',
  from: 'start begin since after at start-at start-time starts starting starts-at',
  to: 'end until till',
  by: 'user author who person u',
  requester: 'by user author owner from',
  target: 'url host address endpoint uri',
  protocol: 'type proto scheme',
  every: 'repeat recurring recur recurrence rrule',
  not: 'exclude except ignore skip',
  me: 'private dm self only-me',
  env: 'environment e stage',
  sort: 'order order-by sort-by sortby',
  share: 'public post here',
}

/** Whether people use a name for a flag. */
export const isSynonym = (flag: string, name: string): boolean =>
  Object.hasOwn(FLAG_SYNONYMS, flag) && FLAG_SYNONYMS[flag]?.split(' ').includes(name) === true

function unknownFlag(
  line: string,
  { name, value }: { name: string; value: string | undefined },
  specs: FlagSpecs,
  lineWith: (flag: string) => string,
): Refused {
  if (/^(?:h|help|usage)$/.test(name)) {
    const [command = '', verb = ''] = line.split(' ')
    return new Refused(`The help of ${cmd(line)} lists its flags.`, [`${command} help ${verb}`.trim()])
  }
  const suggestible = Object.keys(specs).filter((flag) => !INTERNAL_FLAGS.has(flag))
  // Corrects only clear typos, because the value could mean something else with another flag.
  const close = closestWord(name, suggestible, { lettersPerTypo: 3 })
  if (close !== undefined) {
    const text = `--${close}${value === undefined ? '' : `=${value}`}`
    return new Refused(`This command has no flag --${clip(name, 60)}. Did you mean --${close}?`, [
      lineWith(text),
    ])
  }
  const hint =
    name === 'page' && Object.hasOwn(specs, 'offset')
      ? 'Use the buttons below the list to open other pages.'
      : suggestible.length > 0
        ? `Its flags are ${suggestible.map((flag) => `--${flag}`).join(', ')}.`
        : 'It has no flags.'
  return new Refused(`This command has no flag --${clip(name, 60)}. ${hint}`)
}

function readValue(
  name: string,
  typed: string,
  type: ValueSpec,
  spec: FlagSpec,
  lineWith: (value: string) => string,
): string {
  if (type === 'value') return typed
  const synonyms = typeof spec === 'object' && 'synonyms' in spec ? (spec.synonyms ?? {}) : {}
  const word = typed.toLowerCase()
  const known = type.find((choice) => choice.toLowerCase() === word)
  const value = known ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined)
  if (value !== undefined) return value
  const close = closestWord(
    typed,
    type.map((choice) => choice.toLowerCase()),
  )
  const meant = type.find((choice) => choice.toLowerCase() === close)
  throw new Refused(
    `“${clip(typed, 60)}” isn’t a valid value for --${name}. Use ${type.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
    meant ? [lineWith(meant)] : [],
  )
}
