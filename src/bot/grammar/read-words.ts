// This folder reads the words and flags of a typed line.
import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { formatCount } from '../../domain/wording.ts'
import {
  addForms,
  flagType,
  groupFlags,
  isRepeatable,
  matchFlag,
  type ReadFlags,
  readFlags,
  type WordRules,
} from './flags.ts'
import { InvalidLine } from './invalid-line.ts'
import {
  hasForm,
  listFormed,
  type Parameter,
  parameter,
  placeholder,
  readAtEnd,
  readAtStart,
  readText,
  takesName,
} from './parameters.ts'
import { replaceWords } from './replace-words.ts'
import { writeUsage } from './usage.ts'

/** The parsed text after a verb. */
export interface Arguments {
  /** Every word that isn't a flag, as typed. Of a verb with an `event` parameter, those that no other parameter took. */
  words: string[]
  flags: Readonly<Record<string, string | true | undefined>>
  /** The values of repeatable flags and parameters, in the order typed. */
  lists: Readonly<Record<string, readonly string[]>>
  /** The values of parameters by name. Values of parameters with a flag are in `flags`. */
  values: Readonly<Record<string, string | undefined>>
  /** The parameter that has a free text, such as a note. */
  prose?: string
  /** The words of that text, which are the last ones, unless it is in quotes before flags. */
  proseWords?: readonly Word[]
  /** Writes the line with another name, a pattern, or a UUID, in place of the name that was typed. */
  lineFor(check: string): string
  /** Whether a pattern can be typed in place of a name. */
  takesPattern?: boolean
}

/** What a verb declares about its words, with what follows from that for each of its lines. */
export type PreparedRules = ReturnType<typeof prepareRules>

export const prepareRules = ({ line, parameters, flags }: WordRules) => ({
  ...{ line, parameters, flags: addForms(flags, parameters) },
  formed: listFormed(parameters),
  isNameQuoted: takesName(parameters),
  // The words of a free text may look like anything, so what comes after its start belongs to it.
  readsFromEnd: !parameters.some(({ isProse }) => isProse),
  exceptions: parameters.find(({ after }) => after === EXCEPT),
  hasEvents: parameters.some(({ kind }) => kind === 'event'),
  takesPattern: parameters.some(({ kind, after }) => kind === 'pattern' && after === undefined),
})

/** More than anyone types. */
const MAX_WORDS = 1000

/**
 * Reads the words after a verb. Arguments with a form of their own (a UUID, a person, a choice, a time) are taken from both ends; the
 * rest is the name or the text. Nothing is dropped or guessed: throws InvalidLine for a word that no parameter takes, for two values where one
 * is taken, for a flag that is unknown, repeated, or without its value, and for what is nearly an argument.
 */
export function readWords(rules: PreparedRules, typed: readonly Word[]): Arguments {
  if (typed.length > MAX_WORDS)
    throw new InvalidLine(
      `${cmd(rules.line)} reads at most ${formatCount(MAX_WORDS)} words, and these are ${formatCount(typed.length)}.`,
    )
  const text = rules.readsFromEnd ? [] : findProse(rules, typed)
  const { words: before, ...read } = readFlags(rules, typed.slice(0, typed.length - text.length))
  const words = [...before, ...text]
  const taken = new Map<Parameter, string[]>()
  const left = words.length > 0 ? takeForms(rules, words, taken) : words
  const rest =
    left.length > 0 ? takeRest(rules, { all: words, left: takeExceptions(rules, left, taken) }, taken) : left
  return {
    ...finish(rules, taken, read),
    words: (rules.hasEvents ? left : words).map(({ text }) => text),
    proseWords: text,
    takesPattern: rules.takesPattern,
    lineFor(check) {
      const name = { text: check, isQuoted: false }
      const line = rest.length > 0 ? replaceWords(typed, rest, [name]) : [name, ...typed]
      return `${rules.line} ${joinWords(line)}`
    },
  }
}

/**
 * The words of a text that runs to the end of the line: what comes after the flags, the arguments with a form, and the ID, also if it
 * looks like a flag. None if the text is in quotes as a whole, so that flags can follow.
 */
function findProse(rules: PreparedRules, typed: readonly Word[]): readonly Word[] {
  const flags = new Map(groupFlags(rules.flags, typed).map((group) => [group[0], group]))
  const isKnown = (word: Word): boolean => Object.hasOwn(rules.flags, matchFlag(word)?.name ?? '')
  const taken = new Map<Parameter, string[]>()
  let ids = rules.hasEvents ? 1 : 0
  let at = 0
  for (let word = typed[at]; word; word = typed[at]) {
    const open = rules.formed.filter((parameter) => isOpen(parameter, taken))
    const left = typed.slice(at)
    const formed = open.find((parameter) => readAtStart(parameter, left, rules.isNameQuoted))
    if (isKnown(word)) at += flags.get(word)?.length ?? 1
    else if (formed) {
      at += readAtStart(formed, left, rules.isNameQuoted)?.count ?? 1
      taken.set(formed, [])
    } else if (ids > 0) {
      ids -= 1
      at += 1
    } else break
  }
  const [first, ...others] = typed.slice(at)
  const isWhole = first?.isQuoted && others[0] && isKnown(others[0])
  return first === undefined || isWhole ? [] : [first, ...others]
}

/** Whether a parameter can take words: it and, in a group, the others have none yet. */
function isOpen(parameter: Parameter, taken: ReadonlyMap<Parameter, unknown>): boolean {
  const { many, group } = parameter
  if (taken.has(parameter) && !many) return false
  return (
    group === undefined || ![...taken.keys()].some((other) => other !== parameter && other.group === group)
  )
}

/** Takes the arguments with a form of their own from the end and the start. Returns the other words. */
function takeForms(
  rules: PreparedRules,
  words: readonly Word[],
  taken: Map<Parameter, string[]>,
): readonly Word[] {
  let left = words
  while (left.length > 0) {
    const rest = takeOne(rules, left, taken)
    if (!rest) return left
    left = rest
  }
  return left
}

/** Takes one argument from the end, unless a free text is there, or from the start. Returns the other words; undefined if there is none. */
function takeOne(
  rules: PreparedRules,
  words: readonly Word[],
  taken: Map<Parameter, string[]>,
): readonly Word[] | undefined {
  const { formed, readsFromEnd, isNameQuoted } = rules
  for (const parameter of formed) {
    if (!isOpen(parameter, taken)) continue
    const before = taken.get(parameter) ?? []
    const atEnd = readsFromEnd ? readAtEnd(parameter, words, isNameQuoted) : undefined
    if (atEnd && !endsName(rules, parameter, words.at(-atEnd.count - 1))) {
      taken.set(parameter, [atEnd.value, ...before])
      return words.slice(0, -atEnd.count)
    }
    const atStart = readAtStart(parameter, words, isNameQuoted)
    if (atStart) {
      taken.set(parameter, [...before, atStart.value])
      return words.slice(atStart.count)
    }
  }
  return undefined
}

/** Whether an interval is the end of a name without quotes, that of “Backup 2h”: nothing else says where the name ends. */
const endsName = (
  { parameters, isNameQuoted }: PreparedRules,
  { kind, after }: Parameter,
  before: Word | undefined,
): boolean =>
  isNameQuoted &&
  kind === 'interval' &&
  after === undefined &&
  !(
    before?.isQuoted ||
    before?.text.includes('*') ||
    parameters.some((other) => before && readText(other, before.text) !== undefined)
  )

const EXCEPT = 'except'

/** Takes what follows `except`. Returns the words before it. Throws InvalidLine if the verb can't leave anything out. */
function takeExceptions(
  { exceptions: parameter, parameters, line }: PreparedRules,
  left: readonly Word[],
  taken: Map<Parameter, string[]>,
): readonly Word[] {
  const at = left.findLastIndex(({ text, isQuoted }) => !isQuoted && text.toLowerCase() === EXCEPT)
  const excepted = left.slice(at + 1)
  if (at < 1 || excepted.length === 0) return left
  if (!parameter && !parameters.some(({ kind }) => kind === 'name')) return left
  if (!parameter)
    throw new InvalidLine(
      `\`${cmd(line)}\` can’t leave anything out. If “${EXCEPT}” is part of a name, use quotes.`,
    )
  // Words without a comma, a * or quotes are one name.
  const isApart = excepted.some(({ text, isQuoted }) => isQuoted || text.includes('*'))
  const names = excepted
    .map(({ text }) => text)
    .join(' ')
    .split(/\s*,\s*/)
    .filter(Boolean)
  taken.set(parameter, isApart ? excepted.flatMap(partAtCommas) : names)
  return left.slice(0, at)
}

/**
 * Gives the other words to the parameters without a form. Of several, each takes one word, and the last one all that are left. Returns the
 * words of the first one: the name.
 */
function takeRest(
  rules: PreparedRules,
  { all, left }: { readonly all: readonly Word[]; readonly left: readonly Word[] },
  taken: Map<Parameter, string[]>,
): readonly Word[] {
  const open = rules.parameters.filter(
    (parameter) => isOpen(parameter, taken) && parameter.after === undefined,
  )
  const groups = [...Map.groupBy(open, ({ group, name }) => group ?? name).values()].filter(
    (group) => !group.every(hasForm),
  )
  let rest = left
  for (const [index, group] of groups.entries()) {
    const words = index < groups.length - 1 ? rest.slice(0, 1) : rest
    rest = rest.slice(words.length)
    const found = words.length > 0 ? readGroup(group, words, all) : undefined
    if (found) taken.set(found.parameter, found.values)
    else if (words.length > 0) throw notTaken(rules, words, taken)
  }
  if (rest.length > 0) throw notTaken(rules, rest, taken)
  return groups.length > 1 ? left.slice(0, 1) : left
}

const MAX_USAGE = 60

/** The error for words that no argument takes. */
function notTaken(
  rules: WordRules,
  words: readonly Word[],
  taken: ReadonlyMap<Parameter, unknown>,
): InvalidLine {
  const [line, usage] = [cmd(rules.line), writeUsage(rules)]
  const text = words.map((word) => word.text).join(' ')
  const one = rules.parameters.find((each) => readText(each, text) !== undefined)
  if (one && taken.has(one))
    return new InvalidLine(`\`${line}\` takes only one \`${placeholder(one)}\`, so not “${text}” too.`)
  if (one?.after !== undefined) return new InvalidLine(`Type \`${one.after}\` before “${text}”.`)
  // The help shows longer ones.
  const next = usage.length > MAX_USAGE ? '' : ` Type ${usage ? `\`${line} ${usage}\`` : 'nothing after it'}.`
  return new InvalidLine(`\`${line}\` doesn’t take “${clip(joinWords(words), 60)}”.${next}`)
}

/** Reads words as one of several alternatives: a UUID, `all`, a pattern, or a name. */
function readGroup(
  group: readonly Parameter[],
  words: readonly Word[],
  all: readonly Word[],
): { parameter: Parameter; values: string[] } | undefined {
  const text = words.map(({ text }) => text).join(' ')
  for (const parameter of group.filter(hasForm)) {
    const found = words.length === 1 ? readAtStart(parameter, words, true) : undefined
    if (found) return { parameter, values: [found.value] }
  }
  const isPattern = words.some(({ text, isQuoted }) => !isQuoted && text.includes('*'))
  const pattern = isPattern ? group.find(({ kind }) => kind === 'pattern') : undefined
  const free = pattern ?? group.find((parameter) => !hasForm(parameter) && parameter.kind !== 'pattern')
  if (!free) return undefined
  // Commas part patterns, as spaces do.
  const parts = free.kind === 'pattern' ? words.flatMap(partAtCommas) : words.map(({ text }) => text)
  const areSeveral = free.many && (free.kind !== 'pattern' || parts.every((part) => part.includes('*')))
  if (areSeveral) return { parameter: free, values: parts }
  if (!mayBeOne(free, words, all)) return undefined
  return { parameter: free, values: [free.isProse ? writeProse(words) : text] }
}

/** Whether words are hardly something else than one pattern, ID, name, or text. */
function mayBeOne(taking: Parameter, words: readonly Word[], all: readonly Word[]): boolean {
  const { kind, flag } = taking
  // What follows a * may be meant otherwise: `shop* from 22:00 to 23:00`. Beside a pattern, quotes hold another name.
  if (kind === 'pattern')
    return (
      words.at(-1)?.text.includes('*') === true && new Set(words.map(({ isQuoted }) => isQuoted)).size === 1
    )
  // Several IDs are read where one is taken, so that the verb can say so.
  if (kind === 'event') return words.length === 1 || words.every(({ text }) => readText(taking, text))
  // The name of what is made is in quotes, or before the target. What follows is said about it: `create https://x.example.com must contain y`.
  if (kind !== 'text' || flag !== 'name') return true
  const target = all.findIndex(({ text }) => isHost(text))
  const end = target === -1 ? all.length : target
  return words.every((word) => word.isQuoted || (all.indexOf(word) < end && !isWhom(word)))
}

const isHost = (text: string): boolean => readText(parameter('target', 'host'), text) !== undefined

/** Whether a word says who or where: it's part of no name. */
const isWhom = ({ text }: Word): boolean =>
  (['person', 'channel', 'address'] as const).some(
    (kind) => readText(parameter('whom', kind), text) !== undefined,
  )

/** Writes a free text as typed. Quotes around all of it only hold it together. */
const writeProse = (words: readonly Word[]): string =>
  words.length === 1 && words[0]?.isQuoted ? words[0].text : joinWords(words)

const partAtCommas = ({ text, isQuoted }: Word): string[] =>
  isQuoted ? [text] : text.split(',').filter((part) => part !== '')

/** Puts the values where the verb reads them. Throws InvalidLine if a word and a flag set the same value. */
function finish(
  rules: WordRules,
  taken: ReadonlyMap<Parameter, readonly string[]>,
  read: Pick<ReadFlags, 'flags' | 'lists'>,
): Pick<Arguments, 'flags' | 'lists' | 'values' | 'prose'> {
  const result: Result = { flags: { ...read.flags }, lists: { ...read.lists }, values: {} }
  for (const [parameter, values] of taken) {
    const { name, flag = '', many, isProse } = parameter
    refuseBoth(rules, parameter, values, result)
    const spec = Object.hasOwn(rules.flags, flag) ? rules.flags[flag] : undefined
    if (spec !== undefined) setFlag(rules, flag, { type: flagType(spec), values }, result)
    else if (many) result.lists[name] = values
    else result.values[name] = values[0] ?? ''
    if (isProse) result.prose = name
  }
  return result
}

interface Result {
  readonly flags: Record<string, string | true | undefined>
  readonly lists: Record<string, readonly string[]>
  readonly values: Record<string, string>
  prose?: string
}

/** Throws InvalidLine if a flag sets another parameter of the group: `edit web --name shop`. */
function refuseBoth(
  { line, parameters }: WordRules,
  parameter: Parameter,
  values: readonly string[],
  { flags }: Result,
): void {
  const others = parameters.filter(({ group }) => group !== undefined && group === parameter.group)
  const twice = others.find(
    ({ flag }) => flag !== parameter.flag && flag !== undefined && flags[flag] !== undefined,
  )
  if (twice) throw new InvalidLine(`${cmd(line)} takes either “${values[0]}” or --${twice.flag}, not both.`)
}

function setFlag(
  { line }: WordRules,
  flag: string,
  { type, values }: { readonly type: ReturnType<typeof flagType>; readonly values: readonly string[] },
  { flags, lists }: Result,
): void {
  const [value = ''] = values
  if (isRepeatable(type)) lists[flag] = [...values, ...(lists[flag] ?? [])]
  else if (flags[flag] === undefined) flags[flag] = type === 'switch' ? true : value
  else throw new InvalidLine(`${cmd(line)} takes either “${value}” or --${flag}, not both.`)
}
