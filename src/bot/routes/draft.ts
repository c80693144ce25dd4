import { clip } from '@signalman/slack'
import { type KnownCheck, targetHost, toLetters, withoutScheme } from '../../domain/known-names.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { joinNames } from '../../domain/wording.ts'
import { findEnvironment, groupFlags, matchFlag, typedFlags } from '../grammar/flags.ts'
import { type Parameter, readText, takesName } from '../grammar/parameters.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { MINE_WORDS } from '../grammar/vocabulary.ts'
import { writeTyped } from './lines.ts'
import { findVerbs, isWordFor, SAME_WORDS } from './other-words.ts'
import { beforeQuestion, stripMarks } from './question-marks.ts'
import type { Reading } from './read-line.ts'
import type { Verb } from './routes.ts'

/** The longest part of a line that the reader reads. */
export interface Draft {
  readonly line: string
  readonly reading: Reading
  readonly leftOut: readonly Word[]
  /** The words that are left out, in quotes: `“when” and “up”`. */
  readonly unread: string
}

type Read = (line: string) => Reading | undefined

/** Articles, politeness, and small words that a line may also be read without. Not `in` and `at`: `in 2h` isn't `for 2h`. */
const POLITE = new Set(
  "a an the this it my me i we you please pls plz thanks thx can could would want need to of on for and is are was what what's whats".split(
    ' ',
  ),
)
/** A line with one of these is read as a whole or not at all: without a word, it may mean the opposite, or another environment. */
const BINDING = new Set(
  'not no never nor but except excluding apart aside without unless minus production ote'.split(' '),
)

const toText = ({ text, isQuoted }: Word): string => (isQuoted ? text : stripMarks(text).rest)
const isOneOf = (words: Pick<ReadonlySet<string>, 'has'>, word: Word | undefined): boolean =>
  word !== undefined && !word.isQuoted && words.has(toText(word).toLowerCase())
export const isPolite = (word: Word | undefined): boolean => isOneOf(POLITE, word)
/** With any marks around it: `(not`, `@ote`, `!blog`. */
function isBinding(word: Word | undefined): boolean {
  if (!word || word.isQuoted) return false
  const text = toText(word).toLowerCase()
  return (
    BINDING.has(text.replaceAll(/[^\p{L}\p{N}]/gu, '')) || /n't$/.test(text) || /^[!-](?=\p{L})/u.test(text)
  )
}

const MINE = new Set(Object.keys(MINE_WORDS))

/** The words of a line from the one that should be its verb, without a question mark at the end. `my orders` is `orders my`. */
export function skipPolite(typed: readonly Word[]): readonly Word[] {
  const words = beforeQuestion(typed) ?? typed
  const start = words.findIndex((word) => !isPolite(word) && toText(word) !== '')
  const [first, ...others] = words.slice(Math.max(0, start))
  const mine = words.slice(0, Math.max(0, start)).filter((word) => isOneOf(MINE, word))
  return first ? [{ ...first, text: toText(first) }, ...mine, ...others] : []
}

/** `22:00-23:30`, `10pm-11pm` */
const TIME_RANGE = /^(\d{1,2}(?::\d{2}|[ap]m)+)[-–](\d{1,2}(?::\d{2}|[ap]m)+)$/i

/** The words as the reader knows them: without the marks around them, and `all` for `everything`. Not for texts that are kept. */
function toPlain(words: readonly Word[], at: number): Word[] {
  const word = words[at]
  if (!word) return []
  const text = toText(word)
  const range = word.isQuoted ? null : TIME_RANGE.exec(text)
  if (range) return splitWords(`${range[1]} until ${range[2]}`)
  const isEnd = text === 'to' && /^\d+(?::|[ap]m)/.test(words[at + 1]?.text ?? '')
  const ours = word.isQuoted ? undefined : isEnd ? 'until' : SAME_WORDS.get(text.toLowerCase())
  return text === '' ? [] : [ours === undefined ? { ...word, text } : { text: ours, isQuoted: false }]
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
  /** Whether the line begins with one of our verbs. */
  readonly isOurs: boolean
}

/** No line takes longer than so many to read, however many words and verbs are tried. */
const MAX_READ = 200

const createSearch = (words: readonly Word[], read: Read, names?: readonly KnownCheck[]): Search => ({
  ...{ words, read, names, begins: new Map(), budget: { left: MAX_READ }, isOurs: false },
  marks: findMarks(words, names ?? []),
})

/** How far into a line a verb is looked for. */
const MAX_BEFORE_VERB = 4

/** What a line means that wasn't read: the verb that leaves out least. Undefined if nothing says what it's about. */
export function findDraft(
  known: ReadonlyMap<string, Verb>,
  words: readonly Word[],
  read: Read,
  names?: readonly KnownCheck[],
): Draft | undefined {
  if (words.length > MAX_WORDS) return undefined
  const search = { ...createSearch(words, read, names), isOurs: isOneOf(known, words[0]) }
  const isAboutChecks = takesName(known.get('')?.parameters ?? [])
  const listDrafts = (at: number, most?: number): Draft[] => {
    const word = words[at]
    const verbs = word && !word.isQuoted ? findVerbs(known, toText(word)) : []
    return (
      verbs
        .flatMap(({ verb, added }) => {
          const about = words.toSpliced(at, 1, ...splitWords(added))
          const draft = draftVerb(verb, { ...search, words: about }, most)
          const dashed = draftVerb(verb, { ...search, words: withDashes(verb, about) }, 0)
          return [draft ?? [], dashed ?? []].flat()
        })
        // Of what would act, something has to be read.
        .filter(({ leftOut, reading }) => !reading.isAct || leftOut.length === 0 || reading.words.length > 0)
        .toSorted(
          (one, other) => countMissing(one) - countMissing(other) || countLoose(one) - countLoose(other),
        )
    )
  }
  const [first] = listDrafts(0)
  // After one of our verbs, the reader knows what is wrong.
  if (first || search.isOurs) return first
  // Behind a health check, a verb is meant only if nothing is left out: `shop mute 2h`.
  const places = isAboutChecks ? [...words.keys()].slice(1, MAX_BEFORE_VERB) : []
  const whole = places.flatMap((at) => listDrafts(at, 0)).find((draft) => countLoose(draft) === 0)
  if (whole) return whole
  return draftWithoutVerb(known, search)
}

/** Without a verb, a line shows what it names, or it's about what it begins with. */
function draftWithoutVerb(known: ReadonlyMap<string, Verb>, search: Search): Draft | undefined {
  const [bare, list] = ['', 'list'].map((name) => known.get(name))
  const shown = bare && draftVerb(bare, search)
  if (takesName(bare?.parameters ?? [])) return isNamed(shown?.reading) ? shown : undefined
  const [first] = search.words
  const isOtherVerb = shown?.leftOut[0] === first && findVerbs(known, first?.text ?? '').length > 0
  const [about] = bare?.parameters ?? []
  if (shown && about && findValue(about, shown.reading.args) !== undefined && !isOtherVerb) return shown
  const listed = list && draftVerb(list, search)
  return listed && countLoose(listed) === 0 ? listed : undefined
}

/** The words, with the dashes of flags that were typed without: `edit shop* port 8443`. */
function withDashes({ flags, parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const names = new Set(typedFlags(flags).map(([name]) => name))
  return words.map((word, at) => {
    const [name = '', value = words[at + 1]?.text ?? ''] = word.text.toLowerCase().split('=')
    const forms = parameters.filter(({ flag }) => flag === name)
    const hasForm = forms.length === 0 || forms.some((form) => readText(form, value) !== undefined)
    const isFlag = !word.isQuoted && names.has(name) && hasForm
    return isFlag ? { ...word, text: `--${word.text}` } : word
  })
}

/** What a verb could do with as many of the words as possible. */
export const draftLine = (
  verb: Verb,
  words: readonly Word[],
  read: Read,
  names?: readonly KnownCheck[],
): Draft | undefined =>
  words.length > MAX_WORDS ? undefined : draftVerb(verb, createSearch(words, read, names))

/** A read that lacks an argument shows nothing: `status` alone is about everything. */
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

/** Whether a line has a value for each argument that its verb requires. */
export const isComplete = (reading: Reading): boolean =>
  reading.verb.parameters?.every((parameter) => !parameter.required || hasValue(reading, parameter)) ?? true

/** Whether it says which health checks it's about. */
export const isNamed = (reading: Reading | undefined): boolean =>
  reading?.verb.parameters?.some((parameter) => parameter.kind === 'name' && hasValue(reading, parameter)) ===
  true

/** Whether a line has the value of a parameter, or of one in its place: a pattern for a name. */
const hasValue = ({ verb, args }: Reading, { name, group = name }: Parameter): boolean =>
  verb.parameters?.some(
    (other) => (other.group ?? other.name) === group && findValue(other, args) !== undefined,
  ) === true

/** In longer lines, looking for names would take long, and with more words beside a name, so would leaving some out. */
const MAX_WORDS = 12
const MAX_BESIDE = 7

/** Which of at most so many units are left out: fewer first and, of as many, the last ones. */
const countBits = (bits: number): number => bits.toString(2).replaceAll('0', '').length
const SUBSETS = Array.from({ length: 2 ** MAX_BESIDE }, (_, bits) => bits)
  .toReversed()
  .toSorted((one, other) => countBits(one) - countBits(other))

/** Leaves out as few words as possible, at `most` so many, for the reader to read the others, and for what they name to exist. */
function draftVerb(verb: Verb, search: Search, most = MAX_BESIDE): Draft | undefined {
  const { words, read, marks, budget } = search
  const environment = findEnvironment(joinWords(words))
  const flags = groupFlags(verb.rules.flags, words).flat()
  const isName = ({ run }: Mark) => run.every((word) => words.includes(word) && !flags.includes(word))
  const named = verb.parameters?.some(({ kind }) => kind === 'name') ? marks.filter(isName) : []
  // What an act reads by itself, such as `all`, it asks about if a check has that name.
  const inOrder = verb.declared.isAct ? [undefined, ...named] : [...named, undefined]
  const ways = inOrder.map((mark) => prepareWay(verb, search, flags, mark))
  const keepsText = verb.parameters?.some(({ isProse }) => isProse) === true
  const isBound = words.some((word) => isBinding(word) && !flags.includes(word))
  for (const { units, isOut, keep, name } of listChoices(ways, isBound || keepsText ? 0 : most)) {
    if (budget.left <= 0) return undefined
    budget.left -= 1
    const kept = keep(units.filter((unit, at) => !isOut(unit, at)).flat())
    const out = units.filter(isOut).flat()
    const leftOut = out.filter((word) => !isFree(verb, word, search))
    const text = joinWords(kept)
    const line = `${verb.line} ${text}`.trim()
    const reading = read(line)
    // One of the words may be read as another verb: the first one behind a command, or `help` behind a verb.
    if (!reading || joinWords(reading.words) !== text || reading.args.flags.env !== environment) continue
    if (!exists(reading, name, search)) continue
    const told = reading.args.prose ? writeTyped(reading) : line
    return { line: told, reading, leftOut, unread: quoteRuns(words, out, leftOut) }
  }
  return undefined
}

/** Of more units than that, only the last ones are left out: people put a reason behind what they want. */
const listSubsets = (count: number): number[] =>
  count <= MAX_BESIDE
    ? SUBSETS.filter((bits) => bits < 2 ** count)
    : Array.from({ length: count }, (_, left) => 2 ** count - 2 ** (count - left))

/** Which units may be left out of each way to read the words, at most so many words, fewer first. */
const listChoices = (ways: readonly ReturnType<typeof prepareWay>[], most: number) =>
  ways
    .flatMap(({ units, losses, keep, name }) =>
      listSubsets(units.length).map((bits) => {
        const isOut = (_: unknown, at: number): boolean => (bits >> at) % 2 === 1
        return { count: sum(losses.filter(isOut)), isOut, units, keep, name }
      }),
    )
    .filter(({ count }) => count <= most)
    .toSorted((one, other) => one.count - other.count)

/** Quotes words that are left out, each run of them by itself. */
function quoteRuns(words: readonly Word[], out: readonly Word[], leftOut: readonly Word[]): string {
  const runs: Word[][] = []
  for (const word of leftOut) {
    const run = runs.at(-1)
    const between = run?.at(-1) && words.slice(words.indexOf(run.at(-1) ?? word) + 1, words.indexOf(word))
    if (between?.every((other) => out.includes(other))) run?.push(...between, word)
    else runs.push([word])
  }
  return clip(joinNames(runs.map((run) => `“${joinWords(run)}”`)), 200)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Whether a word says nothing that its verb doesn’t: `role add @ann approver`. Behind our own, it’s part of a name: `mute quiet room`. */
const isFree = (verb: Verb, word: Word, { isOurs }: Pick<Search, 'isOurs'>): boolean =>
  isPolite(word) || (!isOurs && !word.isQuoted && isWordFor(verb, toText(word)))

/** One way to read the words after a verb: with some of them as the name of a check, or none. */
function prepareWay(verb: Verb, search: Search, flags: readonly Word[], mark: Mark | undefined) {
  const { words, marks } = search
  const others = mark ? words.filter((word) => !mark.run.includes(word)) : words
  const units = toUnits(verb, others)
  // What is left out of `all except shop` stands behind the word that says so.
  const place = others.some(isBinding) ? words.findIndex((word) => mark?.run.includes(word)) : 0
  const [before, after] = [words.slice(0, Math.max(0, place)), words.slice(Math.max(0, place))]
  const isText = verb.parameters?.some(({ kind }) => kind === 'text') === true
  const toKept = (word: Word): Word[] =>
    isText || flags.includes(word) ? [word] : toPlain(words, words.indexOf(word))
  const name = mark ? [{ text: mark.text, isQuoted: true }] : []
  // A change of `all apart from shop` would be about Shop, and one of `shop and blog` about Blog.
  const isKept = (unit: readonly Word[]): boolean =>
    isBindingFlag(verb, unit) ||
    (verb.needs !== 'viewer' && unit.some((word) => !flags.includes(word) && isSubject(verb, word, marks)))
  return {
    units,
    name: mark?.text,
    /** How many words are lost with each unit. */
    losses: units.map((unit) =>
      isKept(unit) ? Number.POSITIVE_INFINITY : unit.filter((word) => !isFree(verb, word, search)).length,
    ),
    keep(kept: readonly Word[]): Word[] {
      const pick = (some: readonly Word[]) => some.filter((word) => kept.includes(word)).flatMap(toKept)
      return [...pick(before), ...name, ...pick(after)]
    },
  }
}

/** Words that are left out together: a flag and the word behind it. */
function toUnits(verb: Verb, words: readonly Word[]): Word[][] {
  const values = new Map(groupFlags(verb.rules.flags, words).map(([flag, value]) => [flag, value]))
  return words.flatMap((word, at) => {
    const value = values.get(word)
    if (value) return [[word, value]]
    const before = words[at - 1]
    return before && values.get(before) === word ? [] : [[word]]
  })
}

/** Whether a line means something else without a flag: one that the verb has, an exception, or a switch that is turned off. */
function isBindingFlag(verb: Verb, [word]: readonly Word[]): boolean {
  const flag = word && matchFlag(word)
  return flag !== undefined && (Object.hasOwn(verb.rules.flags, flag.name) || /^(?:not$|no-)/.test(flag.name))
}

/** Whether a word says by itself what a line is about: one health check, a pattern, or all, or a target, person, or address. */
function isSubject({ parameters = [] }: Verb, word: Word, marks: readonly Mark[]): boolean {
  if (marks.some(({ run, isWhole }) => isWhole && run.includes(word))) return true
  const formed = parameters.filter(({ kind }) => kind === 'host' || kind === 'person' || kind === 'address')
  if (formed.some((parameter) => readText(parameter, toText(word)) !== undefined)) return true
  const text = toText(word).toLowerCase()
  return !word.isQuoted && (text.includes('*') || (SAME_WORDS.get(text) ?? text) === 'all')
}

/** Whether the health check that a line names was found, or one begins like its pattern. */
function exists({ verb, args }: Reading, name: string | undefined, search: Search): boolean {
  const { check } = args.values
  const { names, begins } = search
  if (!names) return true
  // Of several words, a pattern that no name begins like is one with other words before it.
  const patterns = (verb.parameters ?? []).filter(({ kind }) => kind === 'pattern')
  const areKnown = patterns
    .flatMap((pattern) => findValue(pattern, args) ?? [])
    .filter((pattern) => String(pattern).includes(' '))
    .every((pattern) => {
      const [start = ''] = foldName(String(pattern)).split('*', 1)
      const isKnown = begins.get(start) ?? names.some((known) => known.name.startsWith(start))
      begins.set(start, isKnown)
      return isKnown
    })
  return areKnown && (check === undefined || check === name)
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
  if (words.length > MAX_WORDS || names.length === 0) return []
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
  const wholeRuns = new Set([...wholes.keys()].map(({ run }) => run))
  const parts = runs.flatMap((from) => findPart(from, names) ?? []).filter(({ run }) => !wholeRuns.has(run))
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
  if (isPolite(words[0])) return []
  return unflagged.flatMap((word, at) => {
    const run = unflagged.slice(0, at + 1)
    return isPolite(word) ? [] : [{ run, text: run.map(toText).join(' ') }]
  })
}

/** The longest run that is part of a name, in whole words: that name, or the run if several checks have it. */
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
  for (const known of names) {
    // Fast path: most names don't have it.
    const isFound = known.letters.includes(letters) && ` ${known.letters} `.includes(` ${letters} `)
    if (isFound && found.push(known) > 1) break
  }
  return found
}

/** The name or target of a health check that a text is. */
export function findNameOrTarget(text: string, names: readonly KnownCheck[] = []): string | undefined {
  const [name, target] = [foldName(text), withoutScheme(text)]
  const found = names.find((known) => known.name === name || (target !== '' && known.target === target))
  return found && (found.name === name ? found.check.name : text)
}
