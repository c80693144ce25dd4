import { UserError } from '@signalman/runtime'
import { clip } from '@signalman/slack'
import { closestWord } from '../../domain/mistyped-word.ts'
import { FLAG, unquote, type Word } from '../../domain/quoting.ts'

type ValueSpec = 'value' | readonly string[]
type FlagType = 'switch' | ValueSpec | { listOf: ValueSpec }
/**
 * A flag: a switch (`--share`), free text (`--target X`), one value of a closed list, or a repeatable flag with either kind of value.
 * `help` is its description in the verb's help.
 */
export type FlagSpec = FlagType | { type: FlagType; help: string; synonyms?: ValueSynonyms | undefined }
/** Lowercase synonyms of values. Help and errors show only the values. */
export type ValueSynonyms = Readonly<Record<string, string>>
export type FlagSpecs = Readonly<Record<string, FlagSpec>>

/** The parsed text after a verb. Values of a closed list are spelled as in the list; a switch is `true`. */
export interface Arguments {
  words: string[]
  flags: Readonly<Record<string, string | true | undefined>>
  /** The values of repeatable flags, in the order typed; absent if there were none. */
  lists?: Readonly<Record<string, readonly string[]>>
}

const SMART_DOUBLE = /[\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033]/g
const SMART_SINGLE = /[\u2018\u2019\u201a\u201b\u2032]/g
// Any white space that is typed or pasted, including no-break and zero-width spaces.
const SPACES = /[\s\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]+/g
const TOKEN = /(?:[^\s"'][^\s"]*)?"[^"\\]*(?:\\.?[^"\\]*)*"?|'[^']*'(?=\s|$)|[^\s"]+/g
// Slack writes `<https://x|x>`, `<mailto:a@b|a@b>`, `<#C1|general>`; the label is what the person typed.
const WRAPPED = /<(?:mailto:)?([^<>|]*)(?:\|([^<>]*))?>/g

/**
 * Splits typed text into words. Quotes group words, smart quotes and dashes count as plain ones, and Slack's link markup is removed.
 * Within double quotes, `\"`, `\\` and `\u{201c}` are escapes for characters that can't be typed there otherwise (see `quoted`).
 */
export function splitWords(text: string): Word[] {
  const plain = text
    .replace(WRAPPED, (_, target: string, label: string | undefined) => label || target)
    .replace(SMART_DOUBLE, '"')
    .replace(SMART_SINGLE, "'")
    .replace(SPACES, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  return (plain.match(TOKEN) ?? []).map(readWord)
}

function readWord(token: string): Word {
  if (/^`[^`]+`$/.test(token)) return { text: token.slice(1, -1), isQuoted: false }
  if (/^'.*'$/.test(token)) return { text: token.slice(1, -1), isQuoted: true }
  const quoteStart = token.indexOf('"')
  if (quoteStart < 0) return { text: plainDashes(token), isQuoted: false }
  return {
    text: plainDashes(token.slice(0, quoteStart)) + unquote(token.slice(quoteStart)),
    isQuoted: quoteStart === 0,
  }
}

const plainDashes = (token: string): string =>
  token.replace(/^(?:[\u2012-\u2015\u2212]|-[\u2012-\u2015\u2212])(?=\p{L})/u, '--')

/** Separates words and flags, and checks the flags. Throws a UserError that names the flag and its valid values. */
export function parseArguments(words: readonly Word[], specs: FlagSpecs): Arguments {
  const plainWords: string[] = []
  const flags: Record<string, string | true> = {}
  const lists: Record<string, string[]> = {}
  for (let index = 0; index < words.length; index += 1) {
    const { text = '', isQuoted } = words[index] ?? {}
    const flag = matchFlag(text, isQuoted)
    if (!flag) {
      plainWords.push(text)
      continue
    }
    const name = (flag[1] ?? '').toLowerCase()
    const flagSpec = findFlagSpec(name, specs)
    const spec = flagType(flagSpec)
    if (spec === 'switch') {
      flags[name] = true
      continue
    }
    const value = resolveSynonym(flagSpec, flag[2] ?? words[index + 1]?.text)
    if (flag[2] === undefined) index += 1
    if (isRepeatable(spec)) getOrCreateList(lists, name).push(readFlagValue(name, value, spec.listOf))
    else flags[name] = requireSameValue(name, flags[name], readFlagValue(name, value, spec))
  }
  return { words: plainWords, flags, ...(Object.keys(lists).length > 0 && { lists }) }
}

/** Returns the value of a flag. Throws UserError if the flag already has another value, because one would be silently ignored. */
function requireSameValue(name: string, before: string | true | undefined, value: string): string {
  if (before === undefined || before === value) return value
  throw new UserError(`You gave --${name} twice, as “${before}” and as “${value}”. Give it only once.`)
}

/**
 * Throws UserError for words combined with one of these flags, which sets the same value as the words, because one would be
 * ignored.
 */
export function refuseWordsWithFlags(names: readonly string[], { words, flags }: Arguments): void {
  const flag = names.find((name) => flags[name] !== undefined)
  if (flag === undefined || words.length === 0) return
  const value = flags[flag] === true ? '' : ` “${clip(String(flags[flag]), 60)}”`
  throw new UserError(`Use either “${clip(words.join(' '), 60)}” or --${flag}${value}, not both.`)
}

function resolveSynonym(spec: FlagSpec, value: string | undefined): string | undefined {
  const synonyms = typeof spec === 'object' && 'type' in spec ? spec.synonyms : undefined
  const word = value?.toLowerCase() ?? ''
  return synonyms && Object.hasOwn(synonyms, word) ? synonyms[word] : value
}

const matchFlag = (text: string, isQuoted = false) => (isQuoted ? null : FLAG.exec(text))

function getOrCreateList(lists: Record<string, string[]>, name: string): string[] {
  lists[name] ??= []
  return lists[name]
}

export const isRepeatable = (spec: FlagType): spec is { listOf: ValueSpec } =>
  typeof spec === 'object' && 'listOf' in spec

export const flagType = (spec: FlagSpec): FlagType =>
  typeof spec === 'object' && 'type' in spec ? spec.type : spec

/** An unknown flag or value, and the word that was probably meant. */
export class TypoError extends UserError {
  override readonly name = 'TypoError'
  readonly typed: string
  readonly meant: string | undefined
  constructor(message: string, typed: string, meant: string | undefined) {
    super(message)
    this.typed = typed
    this.meant = meant
  }
}

/**
 * Flags that are accepted but never suggested, because only the app's own buttons use them. `sure` and `yes` answer a question.
 * `seen` is the version that the person saw. `over` is the person, or the version of the case, to take over from.
 */
export const INTERNAL_FLAGS: ReadonlySet<string> = new Set([
  'after',
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

function findFlagSpec(name: string, specs: FlagSpecs): FlagSpec {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
  if (spec) return spec
  const suggestible = Object.keys(specs).filter((flag) => !INTERNAL_FLAGS.has(flag))
  // Corrects only clear typos, because the value could mean something else with another flag.
  const close = closestWord(name, suggestible, { lettersPerTypo: 3 })
  const hint = close ? `Did you mean --${close}?` : suggestFlags(name, suggestible, specs)
  throw new TypoError(`This command has no flag --${name}. ${hint}`, `--${name}`, close && `--${close}`)
}

function suggestFlags(name: string, flags: readonly string[], specs: FlagSpecs): string {
  if (name === 'page' && Object.hasOwn(specs, 'offset'))
    return 'Use the buttons below the list to open other pages.'
  return flags.length > 0
    ? `Its flags are ${flags.map((flag) => `--${flag}`).join(', ')}.`
    : 'It has no flags.'
}

function readFlagValue(name: string, value: string | undefined, spec: ValueSpec): string {
  if (!value) throw new UserError(`--${name} needs a value.`)
  if (spec === 'value') return value
  const match = spec.find((choice) => choice.toLowerCase() === value.toLowerCase())
  if (match) return match
  const close = closestWord(
    value,
    spec.map((choice) => choice.toLowerCase()),
  )
  const meant = spec.find((choice) => choice.toLowerCase() === close)
  const hint = meant ? ` Did you mean ${meant}?` : ''
  throw new TypoError(
    `“${value}” isn’t a valid value for --${name}. Use ${spec.join(', ')}.${hint}`,
    value,
    meant,
  )
}
