import { hasPart, type KnownCheck, targetHost, toLetters, withoutScheme } from '../../domain/known-names.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { findEnvironment, groupFlags, matchFlag } from '../grammar/flags.ts'
import { type Parameter, takesName } from '../grammar/parameters.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { writeTyped } from './lines.ts'
import { findVerbs } from './other-words.ts'
import { stripMarks } from './question-marks.ts'
import type { Reading } from './read-line.ts'
import type { Verb } from './routes.ts'

/** The longest part of a line that the reader reads. */
export interface Draft {
  /** As typed in the line. It may stand for the one that was read. */
  readonly verb: Verb
  readonly line: string
  readonly reading: Reading
  readonly leftOut: readonly Word[]
}

type Read = (line: string) => Reading | undefined

/** A line with one of these is read as a whole or not at all: without a word, it may mean the opposite, or another environment. */
const BINDING = new Set(
  'not no never nor but except excluding apart aside without unless minus production ote'.split(' '),
)

const toText = ({ text, isQuoted }: Word): string => (isQuoted ? text : stripMarks(text).rest)

/** With any marks around it: `(not`, `@ote`, `!blog`. */
function isBinding(word: Word): boolean {
  if (word.isQuoted) return false
  const text = toText(word).toLowerCase()
  return (
    BINDING.has(text.replaceAll(/[^\p{L}\p{N}]/gu, '')) || /n't$/.test(text) || /^[!-](?=\p{L})/u.test(text)
  )
}

/** What is tried for one line. */
interface Search {
  readonly words: readonly Word[]
  readonly read: Read
  /** Undefined if they aren't known: then any name may exist. */
  readonly names: readonly KnownCheck[] | undefined
  readonly marks: readonly Mark[]
  /** Whether a check has a name that begins like a pattern. */
  readonly begins: Map<string, boolean>
  /** How many lines may still be read. */
  readonly budget: { left: number }
}

/** No line takes longer than so many to read, however many words and verbs are tried. */
const MAX_READ = 256

/** Whether a line begins with one of these verbs. */
export const beginsWithVerb = (known: ReadonlyMap<string, Verb>, [first]: readonly Word[]): boolean =>
  first !== undefined && !first.isQuoted && known.has(first.text.toLowerCase())

/** What a line means that wasn't read: the verb that leaves out least. Undefined if nothing says what it's about. */
export function findDraft(
  known: ReadonlyMap<string, Verb>,
  words: readonly Word[],
  read: Read,
  names: readonly KnownCheck[] | undefined,
): Draft | undefined {
  const [first, ...rest] = words
  if (!first || words.length > MAX_WORDS) return undefined
  const marks = findMarks(words, names ?? [])
  const search = { words, read, names, marks, begins: new Map(), budget: { left: MAX_READ } }
  const [best] = (first.isQuoted ? [] : findVerbs(known, first.text))
    .flatMap((verb) => draftVerb(verb, { ...search, words: rest }) ?? [])
    .toSorted((one, other) => countLoose(one) - countLoose(other) || countMissing(one) - countMissing(other))
  // After one of our verbs, the reader knows what is wrong.
  if (best || beginsWithVerb(known, words)) return best
  // Without a verb, it shows what it names, or it's about what it begins with.
  const bare = known.get('')
  const shown = bare && draftVerb(bare, search)
  const isAbout = takesName(bare?.parameters ?? []) ? isNamed(shown?.reading) : shown?.leftOut[0] !== first
  return isAbout ? shown : undefined
}

/** Of two that show something, the one that shows it at once: `status` alone is about everything. */
const countMissing = ({ reading }: Draft): number => Number(!reading.verb.mayChange && !isComplete(reading))

/** How many words a line leaves out, or takes only because a text may have any. */
function countLoose({ leftOut, reading: { verb, args } }: Draft): number {
  const isText = ({ kind, usage, flag }: Parameter): boolean =>
    (kind === 'text' && usage !== '') || (kind === 'name' && flag !== undefined)
  const text = verb.parameters?.find(isText)
  const value = text && findValue(text, args)
  return leftOut.length + (typeof value === 'string' ? splitWords(value).length : 0)
}

export const findValue = ({ name, flag = '' }: Parameter, { values, flags, lists }: Arguments) =>
  flags[flag] ?? values[name] ?? lists[flag] ?? lists[name]

/** Whether it says which health checks it's about. */
export function isNamed(reading: Reading | undefined): boolean {
  const { check, uuid, pattern, all } = reading?.args.values ?? {}
  return (check ?? uuid ?? pattern ?? all) !== undefined
}

/** Whether a line has a value for each argument that its verb requires. */
export const isComplete = ({ verb: { parameters = [] }, args }: Reading): boolean =>
  parameters.every(
    ({ required, name, group = name }) =>
      !required ||
      parameters.some(
        (other) => (other.group ?? other.name) === group && findValue(other, args) !== undefined,
      ),
  )

/** In longer lines, looking for names would take long, and with more words beside a name, so would leaving some out. */
const MAX_WORDS = 12
const MAX_BESIDE = 8

/** Which of at most so many units are left out: fewer first and, of as many, the last ones. */
const countBits = (bits: number): number => bits.toString(2).replaceAll('0', '').length
const SUBSETS = Array.from({ length: 2 ** MAX_BESIDE }, (_, bits) => bits)
  .toReversed()
  .toSorted((one, other) => countBits(one) - countBits(other))

/** Leaves out as few words as possible, for the reader to read the others, and for what they name to exist. */
function draftVerb(verb: Verb, search: Search): Draft | undefined {
  const { words, read, marks, budget } = search
  const environment = findEnvironment(joinWords(words))
  const flags = groupFlags(verb.rules.flags, words)
  const isFlag = (word: Word) => flags.some((group) => group.includes(word))
  const isName = ({ run }: Mark) => run.every((word) => words.includes(word) && !isFlag(word))
  const named = verb.parameters?.some(({ kind }) => kind === 'name') ? marks.filter(isName) : []
  // What an act reads by itself, such as `all`, it asks about if a check has that name.
  const inOrder = verb.declared.isAct ? [undefined, ...named] : [...named, undefined]
  const isWhole =
    verb.parameters?.some(({ isProse }) => isProse) || words.some((word) => isBinding(word) && !isFlag(word))
  // A change of `all apart from shop` would be about Shop, and one of `shop and blog` about Blog.
  const isKept = (unit: readonly Word[]): boolean =>
    isBindingFlag(verb, unit) ||
    (verb.needs !== 'viewer' && unit.some((word) => isSubject(word, words, marks)))
  const ways = inOrder.map((mark) => ({ mark, units: toUnits(words, flags, mark) }))
  for (const { units, isOut, mark } of listChoices(ways, isKept, isWhole ? 0 : MAX_BESIDE)) {
    if (budget.left <= 0) return undefined
    budget.left -= 1
    const leftOut = units.filter(isOut).flat()
    const kept = words.flatMap((word) => {
      if (mark?.run.includes(word)) return word === mark.run[0] ? [{ text: mark.text, isQuoted: true }] : []
      return leftOut.includes(word) ? [] : [word]
    })
    const line = `${verb.line} ${joinWords(kept)}`.trim()
    const reading = read(line)
    // Behind a command, the first word may be read as another verb.
    if (reading?.words.length !== kept.length || reading.args.flags.env !== environment) continue
    if (!exists(reading, mark?.text, search)) continue
    return { verb, line: reading.args.prose ? writeTyped(reading) : line, reading, leftOut }
  }
  return undefined
}

/** A way to read the words after a verb: with some of them as the name of a check, or none. */
interface Way {
  readonly mark: Mark | undefined
  /** What may be left out: a word that isn't in the name, or a flag with its value. */
  readonly units: readonly (readonly Word[])[]
}

/** What may be left out of each way to read the words, at most so many words, fewer first. */
const listChoices = (ways: readonly Way[], isKept: (unit: readonly Word[]) => boolean, most: number) =>
  ways
    .flatMap(({ mark, units }) =>
      (units.length > MAX_BESIDE ? [] : SUBSETS.filter((bits) => bits < 2 ** units.length)).map((bits) => {
        const isOut = (_: unknown, at: number): boolean => (bits >> at) % 2 === 1
        const left = units.filter(isOut)
        const count = left.some(isKept) ? Number.POSITIVE_INFINITY : left.flat().length
        return { mark, units, isOut, count }
      }),
    )
    .filter(({ count }) => count <= most)
    .toSorted((one, other) => one.count - other.count)

function toUnits(
  words: readonly Word[],
  flags: readonly Word[][],
  mark: Mark | undefined,
): readonly Word[][] {
  const others = words.filter((word) => !mark?.run.includes(word))
  return others.flatMap((word) => {
    const group = flags.find((flag) => flag.includes(word)) ?? [word]
    return group[0] === word ? [group] : []
  })
}

/** Whether a line means something else without a flag: one that the verb has, an exception, or a switch that is turned off. */
function isBindingFlag(verb: Verb, [word]: readonly Word[]): boolean {
  const flag = word && matchFlag(word)
  return flag !== undefined && (Object.hasOwn(verb.rules.flags, flag.name) || /^(?:not$|no-)/.test(flag.name))
}

/** Whether a word names health checks by itself: one, a pattern, or all. Behind a flag, it's the flag's value. */
function isSubject(word: Word, words: readonly Word[], marks: readonly Mark[]): boolean {
  const before = words[words.indexOf(word) - 1]
  if (before && matchFlag(before)) return false
  if (marks.some(({ run, isWhole }) => isWhole && run.includes(word))) return true
  return !word.isQuoted && (word.text.includes('*') || /^(?:all|everything)$/i.test(toText(word)))
}

/** Whether the health check that a line names was found, or one begins like its pattern. */
function exists({ args: { values } }: Reading, name: string | undefined, search: Search): boolean {
  const { check, pattern } = values
  const { names, begins } = search
  if (!names || (check === undefined && pattern === undefined)) return true
  if (pattern === undefined) return check === name
  const [start = ''] = foldName(pattern).split('*', 1)
  const isKnown = begins.get(start) ?? names.some((known) => known.name.startsWith(start))
  begins.set(start, isKnown)
  return isKnown
}

/** Words of a line that name a health check, and the text by which the reader finds it. */
interface Mark {
  readonly run: readonly Word[]
  readonly text: string
  /** Whether they are all of its name, target, or host. */
  readonly isWhole?: boolean
}

/** More names than anyone types in a line. */
const MAX_MARKS = 6
/** A shorter part is in many names. */
const MIN_PART = 3

/** Finds where words are the name, target, or host of a check, or else part of a name. Whole ones come first, then longer ones. */
function findMarks(words: readonly Word[], names: readonly KnownCheck[]): readonly Mark[] {
  const runs = [...words.keys()].map((start) => listRuns(words.slice(start)))
  const byForm = new Map<string, Mark>()
  for (const run of runs.flat()) {
    byForm.set(foldName(run.text), run).set(withoutScheme(run.text), run)
    if (run.text.includes('.')) byForm.set(`at ${targetHost(run.text)}`, run)
  }
  const wholes = new Map<Mark, string>()
  const mark = (form: string, text?: string): void => {
    const run = byForm.get(form)
    if (run) wholes.set(run, text ?? wholes.get(run) ?? run.text)
  }
  for (const { check, name, target, host } of names) {
    if (host !== '') mark(`at ${host}`)
    if (target !== '') mark(target, check.target)
    mark(name, check.name)
  }
  const parts = runs.flatMap((from) => findPart(from, names) ?? [])
  const byLength = (one: Mark, other: Mark): number => other.run.length - one.run.length
  return [
    ...[...wholes].map(([{ run }, text]) => ({ run, text, isWhole: true })).toSorted(byLength),
    ...parts.toSorted(byLength),
  ].slice(0, MAX_MARKS)
}

/** The words from here on, as far as they may be one name. */
function listRuns(words: readonly Word[]): Mark[] {
  const end = words.findIndex((word) => matchFlag(word) !== undefined)
  const unflagged = end === -1 ? words : words.slice(0, end)
  return unflagged.map((_, at) => {
    const run = unflagged.slice(0, at + 1)
    return { run, text: run.map(toText).join(' ') }
  })
}

/** The longest run that is part of a name: that name, or the run if several checks have it. */
function findPart(runs: readonly Mark[], names: readonly KnownCheck[]): Mark | undefined {
  let known = names
  let longest: Mark | undefined
  for (const { run, text } of runs) {
    const letters = toLetters(text)
    if (letters.length < MIN_PART || run.every(isBinding)) continue
    const found = findTwo(known, letters)
    const [only, other] = found
    // What has a longer run has this one, too.
    if (!only) break
    if (!other) known = found
    longest = { run, text: other ? text : only.check.name }
  }
  return longest
}

/** The first two checks that have a text in their name. Most lines have words that are in many names. */
function findTwo(names: readonly KnownCheck[], letters: string): KnownCheck[] {
  const found: KnownCheck[] = []
  for (const known of names) if (hasPart(known, letters) && found.push(known) > 1) break
  return found
}

/** The name or target of a health check that a text is. */
export function findNameOrTarget(text: string, names: readonly KnownCheck[] = []): string | undefined {
  const [name, target] = [foldName(text), withoutScheme(text)]
  const found = names.find((known) => known.name === name || (target !== '' && known.target === target))
  return found && (found.name === name ? found.check.name : text)
}
