import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { splitWords, type Word } from '../../domain/quoting.ts'
import { InvalidLine } from './invalid-line.ts'
import { countValue, type Parameter } from './parameters.ts'

type ValueSpec = 'value' | 'word' | readonly string[]
type FlagType = 'switch' | ValueSpec | { listOf: ValueSpec }
/**
 * A flag: a switch (`--share`), free text (`--name X`), one word (`--target X`), one value of a closed list, or a repeatable flag with either kind of value.
 * `help` is its description in the verb's help, and `valueName` stands for its value there. Without a description, only the app's own
 * buttons use the flag: it's accepted, but neither the help nor an error names it. `forms` are the arguments that set the same value.
 */
export type FlagSpec =
  | FlagType
  | {
      type: FlagType
      help: string | undefined
      synonyms?: ValueSynonyms | undefined
      valueName?: string | undefined
      forms?: readonly Parameter[]
    }
/** Lowercase synonyms of values. Help and errors show only the values. */
export type ValueSynonyms = Readonly<Record<string, string>>
export type FlagSpecs = Readonly<Record<string, FlagSpec>>

export const isRepeatable = (spec: FlagType): spec is { listOf: ValueSpec } =>
  typeof spec === 'object' && 'listOf' in spec

export const flagType = (spec: FlagSpec): FlagType =>
  typeof spec === 'object' && 'type' in spec ? spec.type : spec

/** Adds the arguments that set the same value to each flag: they know how long a value is. */
export const addForms = (flags: FlagSpecs, parameters: readonly Parameter[]): FlagSpecs =>
  Object.fromEntries(
    Object.entries(flags).map(([name, spec]) => {
      const declared = typeof spec === 'object' && 'type' in spec ? spec : { type: spec, help: undefined }
      return [name, { ...declared, forms: parameters.filter(({ flag }) => flag === name) }]
    }),
  )

/** The flags that people type. */
export const typedFlags = (
  specs: FlagSpecs = {},
): [string, Extract<FlagSpec, { type: unknown }> & { help: string }][] =>
  Object.entries(specs).flatMap(([flag, spec]) =>
    typeof spec === 'object' && 'help' in spec && spec.help !== undefined
      ? [[flag, { ...spec, help: spec.help }]]
      : [],
  )

/** A value may begin with one dash: `--suffix -b`. `-----BEGIN` begins no flag, and neither does a dash that stands alone. */
const FLAG = /^--([^=-][^=]*)(?:=(.*))?$/su

/** The name and the value of a typed flag: `--status=down`. Undefined for any other word. */
export function matchFlag({ text, isQuoted }: Word): { name: string; value: string | undefined } | undefined {
  const found = isQuoted ? null : FLAG.exec(text)
  return found ? { name: (found[1] ?? '').toLowerCase(), value: found[2] } : undefined
}

/** The environment that a line names with `--env`, also if the rest of it can't be read. A text in quotes names none. */
export function findEnvironment(line: string): Environment | undefined {
  // Fast path: nearly every button of a list.
  if (!line.toLowerCase().includes('--env')) return undefined
  const words = splitWords(line)
  const at = words.findIndex((word) => matchFlag(word)?.name === 'env')
  const flag = words[at] && matchFlag(words[at])
  const value = flag && (flag.value ?? words[at + 1]?.text)
  // A question mark may be behind it.
  const [name] = /^[a-z]*/.exec(value?.toLowerCase() ?? '') ?? []
  return ENVIRONMENTS.find((environment) => environment === name)
}

/** What a verb declares about its words. */
export interface WordRules {
  /** As typed: `/hc mute`. */
  readonly line: string
  readonly parameters: readonly Parameter[]
  readonly flags: FlagSpecs
}

export interface ReadFlags {
  flags: Record<string, string | true>
  /** The values of repeatable flags, in the order typed. */
  lists: Record<string, string[]>
  /** The other words. */
  words: Word[]
}

/**
 * Separates the flags from the other words. A switch has no value; one of a closed list, one without spaces, or a quoted one, is one
 * word; one with a form is the words that have it; any other value is all words up to the next flag. Throws InvalidLine.
 */
export function readFlags(rules: WordRules, typed: readonly Word[]): ReadFlags {
  const { flags: specs } = rules
  const read: ReadFlags = { flags: {}, lists: {}, words: [] }
  let next = 0
  for (let word = typed[next++]; word; word = typed[next++]) {
    const found = matchFlag(word)
    if (!found) {
      read.words.push(word)
      continue
    }
    const spec = Object.hasOwn(specs, found.name) ? specs[found.name] : undefined
    if (!spec) throw unknownFlag(rules, found.name)
    const value = readFlag(found, spec, typed, next)
    if (found.name in read.flags) throw new InvalidLine(`You typed --${found.name} twice. Type it once.`)
    if (isRepeatable(flagType(spec))) {
      read.lists[found.name] ??= []
      read.lists[found.name]?.push(String(value.value))
    } else read.flags[found.name] = value.value
    next += value.count
  }
  return read
}

/** The value of a flag, and how many of the words from `start` on are its value. */
function readFlag(
  { name, value: inline }: { name: string; value: string | undefined },
  spec: FlagSpec,
  typed: readonly Word[],
  start: number,
): { value: string | true; count: number } {
  const type = flagType(spec)
  if (type === 'switch') {
    // After a switch, such a word is its value rather than a name.
    if (inline !== undefined || isYesOrNo(typed[start]))
      throw new InvalidLine(`--${name} takes no value. To turn it off, leave it out.`)
    return { value: true, count: 0 }
  }
  const count = inline === undefined ? countValueWords(typed, start, spec) : 0
  const words = typed.slice(start, start + count)
  const text = inline ?? words.map(({ text }) => text).join(' ')
  if (text === '') throw new InvalidLine(`--${name} needs a value.`)
  return { value: readValue(name, text, spec), count }
}

const isYesOrNo = (word: Word | undefined): boolean =>
  word !== undefined && !word.isQuoted && /^(?:yes|no|true|false|on|off)$/i.test(word.text)

function countValueWords(typed: readonly Word[], start: number, spec: FlagSpec): number {
  const isOneWord = valueSpec(spec) !== 'value' || typed[start]?.isQuoted
  const limit = isOneWord ? Math.min(start + 1, typed.length) : typed.length
  let end = start
  while (end < limit && !isFlag(typed[end])) end += 1
  const forms = typeof spec === 'object' && 'forms' in spec ? (spec.forms ?? []) : []
  return Math.max(0, ...forms.map((form) => countValue(form, typed.slice(start, end)))) || end - start
}

function valueSpec(spec: FlagSpec): ValueSpec | 'switch' {
  const type = flagType(spec)
  return isRepeatable(type) ? type.listOf : type
}

/** Each flag of a line with the words that are its value. Of a flag that isn't known, the next word may be. */
export const groupFlags = (specs: FlagSpecs, words: readonly Word[]): Word[][] =>
  words.flatMap((word, at) => {
    const found = matchFlag(word)
    if (!found) return []
    const spec = (Object.hasOwn(specs, found.name) ? specs[found.name] : undefined) ?? []
    const isSwitch = flagType(spec) === 'switch'
    if (found.value !== undefined || (isSwitch && !isYesOrNo(words[at + 1]))) return [[word]]
    return [words.slice(at, at + 1 + countValueWords(words, at + 1, spec))]
  })

const isFlag = (word: Word | undefined): boolean => word !== undefined && matchFlag(word) !== undefined

export function unknownFlag({ line, flags: specs }: WordRules, name: string): InvalidLine {
  const known = typedFlags(specs).filter(([flag]) => flag !== name)
  const flags = known.length === 0 ? 'no flags' : `only ${known.map(([flag]) => `--${flag}`).join(', ')}`
  return new InvalidLine(`${line} has ${flags}, not --${name}.`)
}

function readValue(name: string, typed: string, spec: FlagSpec): string {
  const type = valueSpec(spec)
  if (typeof type === 'string') return typed
  const synonyms = typeof spec === 'object' && 'synonyms' in spec ? (spec.synonyms ?? {}) : {}
  const word = typed.toLowerCase()
  const known = type.find((choice) => choice.toLowerCase() === word)
  const value = known ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined)
  if (value !== undefined) return value
  throw new InvalidLine(
    `“${typed.slice(0, 60)}” isn’t a value of --${name}. Use one of these: ${type.join(', ')}.`,
  )
}
