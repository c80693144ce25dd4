import { parseUuid } from '../../domain/find-check.ts'
import { findNameOrTarget, hasPart, type KnownCheck, toLetters } from '../../domain/known-names.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { findEnvironment, matchFlag, typedFlags } from '../grammar/flags.ts'
import {
  hasForm,
  isAddress,
  isTime,
  type Kind,
  type Parameter,
  readAtEnd,
  readText,
  takesName,
} from '../grammar/parameters.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { MINE_WORDS } from '../grammar/vocabulary.ts'
import { writeTyped } from '../routes/lines.ts'
import type { Reading } from '../routes/read-line.ts'
import type { Verb } from '../routes/routes.ts'
import { findVerbs } from './other-words.ts'
import { stripMarks, withoutQuestion } from './question-marks.ts'

/** A line that the reader reads, and that leaves out nothing that was typed but small words. */
export interface Meant {
  readonly line: string
  readonly reading: Reading
  /** Whether it means no other health check than what was typed: none, one by its exact name, or by all words that were typed. */
  readonly isSure: boolean
  /** Whether no health check has the name in it. */
  readonly isGuess: boolean
}

/** Articles, politeness, and small words that a line may also be read without. */
const POLITE = new Set(
  "hi hello hey a an the this it you please pls plz thanx thanks thx can could would want need to of on for and is are was what what's whats".split(
    ' ',
  ),
)
/** The same for a line that only reads. A change says whose, and when: `add me to shop` isn't `add shop`, and `in 2h` isn't `for 2h`. */
const POLITE_IN_READS = new Set(['my', 'me', 'i', 'we', 'in'])

const MINE = new Set(Object.keys(MINE_WORDS))

const toText = ({ text, isQuoted }: Word): string => (isQuoted ? text : stripMarks(text).rest)
export const toWord = (word: Word): string => (word.isQuoted ? '' : toText(word).toLowerCase())
export const isPolite = (word: Word, mayChange = false): boolean =>
  POLITE.has(toWord(word)) || (!mayChange && POLITE_IN_READS.has(toWord(word)))

/** The words of a line from the one that should be its verb, without a question mark at the end. `my orders` is `orders my`. */
export function skipPolite(typed: readonly Word[]): readonly Word[] {
  const words = withoutQuestion(typed) ?? typed
  const start = words.findIndex((word) => !isPolite(word) && toText(word) !== '')
  const [first, ...others] = words.slice(Math.max(0, start))
  const mine = words.slice(0, Math.max(0, start)).filter((word) => MINE.has(toWord(word)))
  return first ? [{ ...first, text: toText(first) }, ...mine, ...others] : []
}

/** More than a command has. Each way to write a line reads all of them. */
const MAX_WORDS = 200

/** More words are a sentence. */
const MAX_NAME = 4

/**
 * The line that was meant: with our word for its verb, and without small words. It's the first one that is read, and whose name a health
 * check has or, if there is none, may have. Nothing else is left out, so that no line means less than what was typed, and nothing at all
 * where the names aren't known: one may have these words.
 */
export function findMeant(
  known: ReadonlyMap<string, Verb>,
  typed: readonly Word[],
  search: Search,
): Meant | undefined {
  if (typed.length > MAX_WORDS) return undefined
  const [first, ...others] = typed
  const verbs = first && !first.isQuoted ? findVerbs(known, toText(first)) : []
  if (verbs.length === 0) return findBare(known, typed, search)
  const readings = verbs.flatMap(({ verb, added }) => {
    // What a word adds says whose it is: “my approvals” are mine to decide, not requested by me.
    const rest = added === '' ? others : others.filter((word) => !MINE.has(toWord(word)))
    return listReadings(known, verb, [...splitWords(added), ...rest], search)
  })
  const isOurs = known.has(toText(first ?? { text: '', isQuoted: true }).toLowerCase())
  // With the fewest words.
  const guess = readings.findLast(
    ({ reading }) => reading.verb === readings[0]?.reading.verb && mayBeName(findName(reading), isOurs),
  )
  return readings.find(({ isGuess }) => !isGuess) ?? guess
}

/** Whether a text may be called a name: one word or, behind a verb of ours, a few. More are a sentence, and so are small words. */
export function mayBeName(name = '', isOurs = false): boolean {
  const words = splitWords(name)
  return (
    isShort(name) &&
    !isAddress(name) &&
    (words.length === 1 || (isOurs && !words.some((word) => isPolite(word, true))))
  )
}

interface Search {
  /** The strict reader. */
  read(line: string): Reading | undefined
  /** All health checks. Undefined if they aren't known. */
  readonly names: readonly KnownCheck[] | undefined
  /** What was read already, and names nothing. */
  readonly failed?: Reading | undefined
}

/** Without a verb, a line is a name or, where none can stand, what to list: `/cert-order pending`. */
function findBare(
  known: ReadonlyMap<string, Verb>,
  typed: readonly Word[],
  search: Search,
): Meant | undefined {
  const bare = known.get('')
  const isName = takesName(bare?.parameters ?? [])
  const shown = isName ? bare : (known.get('list') ?? known.get('queue'))
  if (!shown) return undefined
  const readings = listReadings(known, shown, typed, search)
  // What is left of a sentence may be a part of any name: the `im` of `im on it`.
  return readings.find(
    ({ isGuess, isSure, reading }) => !isGuess && isSure && isName === listFree(reading).length > 0,
  )
}

/** What the words after a verb may mean. */
function listReadings(
  known: ReadonlyMap<string, Verb>,
  verb: Verb,
  words: readonly Word[],
  search: Search,
): Meant[] {
  const { read, names, failed } = search
  const asTyped = joinWords(words)
  const environment = findEnvironment(asTyped)
  return [...listTexts(known, verb, words, search)].flatMap((text) => {
    const line = `${verb.line} ${text}`.trim()
    const reading = read(line)
    // The first word behind a command may be read as another verb.
    const isRead = reading && joinWords(reading.words) === text && reading.args.flags.env === environment
    if (!isRead || !hasWholeId(reading) || (failed && isSame(reading, failed))) return []
    // What was run without small words asks for what it lacks.
    if (failed?.verb !== verb && !isWhole(reading)) return []
    const name = findName(reading)
    const { check } = reading.args.values
    return {
      line: keepsText(verb) ? writeTyped(reading) : line,
      reading,
      isSure: check === undefined || text === asTyped || findNameOrTarget(check, names) !== undefined,
      isGuess: name !== undefined && !isNameOf(name, names),
    }
  })
}

/** Whether a text may be a name: more words are a sentence, and no name is an address of a page. */
const isShort = (name = ''): boolean => splitWords(name).length <= MAX_NAME && !name.includes('://')

/** What is called a health check in a line, or the text of a pattern. */
const findName = ({ verb: { parameters = [] }, args }: Reading): string | undefined => {
  const names = parameters.filter((parameter) => takesName([parameter]))
  const [value] = names.flatMap((name) => findValue(name, args) ?? [])
  return typeof value === 'string' ? value.replaceAll('*', ' ').trim() : undefined
}

/** Whether a health check has this name or, as far as it’s known here, may have it. What changes nothing, or asks which, takes a part. */
const isNameOf = (name: string, names: readonly KnownCheck[] | undefined): boolean => {
  if (name === '') return true
  if (!names) return isShort(name)
  // Read once, and not for each of the names.
  const letters = toLetters(name)
  return findNameOrTarget(name, names) !== undefined || names.some((known) => hasPart(known, letters))
}

/** Whether what stands for the ID of a threat event can be one. */
export const hasWholeId = ({ args: { values, lists } }: Reading): boolean =>
  [values.id ?? [], lists.ids ?? []].flat().every((id) => parseUuid(id) !== undefined)

const isSame = (one: Reading, other: Reading): boolean => write(one) === write(other)
const write = ({ verb, args: { values, lists, flags } }: Reading): string =>
  JSON.stringify([verb.line, values, lists, flags])

/** Whether a line lacks nothing but, if it acts, the health check that it's about. A change that lacks more asks for it. */
export const isWhole = (reading: Reading): boolean =>
  reading.isAct ? isComplete(reading, 'checks') : reading.verb.mayChange || isComplete(reading)

/** The ways to write the words after a verb, each once. */
function listTexts(
  known: ReadonlyMap<string, Verb>,
  verb: Verb,
  words: readonly Word[],
  { names = takesName(verb.parameters ?? []) ? undefined : [], read }: Search,
): ReadonlySet<string> {
  if (keepsText(verb) || !names) return new Set([joinWords(words)])
  const kept = keepName(words, names, (name) => isNameAlone(read(`${verb.line} ${name}`), name))
  const ordered = [kept, words].flatMap((each) => [each, timesLast(verb, each)])
  const plain = ordered.map((each) => toPlain(known, verb, each))
  const texts = plain.flatMap((each) => [each, withDashes(verb, each), withUntil(verb, each)])
  // As typed, it may be a name.
  const isTypedFirst = verb.mayChange || takesName(verb.parameters ?? [])
  return new Set((isTypedFirst ? [words, ...texts] : [...texts, words]).map(joinWords))
}

/** Whether a text is kept as it was typed, such as a note. */
const keepsText = ({ parameters = [] }: Verb): boolean => parameters.some(({ isProse }) => isProse)

/** The words, with the dashes of flags that were typed without, and without what joins them to their value: `edit shop* port to 8443`. */
function withDashes({ flags, parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const names = new Set(typedFlags(flags).map(([name]) => name))
  const isJoining = (word: Word | undefined) => word && !word.isQuoted && /^(?:to|is|=)$/i.test(word.text)
  const isFlag = (word: Word | undefined, at: number): boolean => {
    if (!word || word.isQuoted) return false
    const next = words[isJoining(words[at + 1]) ? at + 2 : at + 1]?.text ?? ''
    const [name = '', value = next] = word.text.toLowerCase().split('=')
    const forms = parameters.filter(({ flag }) => flag === name)
    return (
      names.has(name) && (forms.length === 0 || forms.some((form) => readText(form, value) !== undefined))
    )
  }
  return words.flatMap((word, at) => {
    if (isJoining(word) && isFlag(words[at - 1], at - 1)) return []
    return isFlag(word, at) ? { ...word, text: `--${word.text}` } : word
  })
}

/** More words than a time has: `from tomorrow 22:00 until 23:00`. */
const MAX_TIME = 6

/** `30m shop`, `tonight 22:00 for 2h shop`: the reader expects times behind the name. */
function timesLast(verb: Verb, words: readonly Word[]): readonly Word[] {
  for (let count = Math.min(MAX_TIME, words.length - 1); count > 0; count -= 1)
    if (findTimes(verb, words.slice(0, count)).length === count)
      return [...words.slice(count), ...words.slice(0, count)]
  return words
}

const CLOCK = /^\d{1,2}(?::\d\d|[ap]m)/i

/** `web 18:00`, `22:00 till 23:30`: the last time on the clock is the end. */
function withUntil({ rules }: Verb, words: readonly Word[]): readonly Word[] {
  const at = words.findLastIndex(({ text, isQuoted }) => !isQuoted && CLOCK.test(text))
  if (at === -1 || !rules.formed.some(({ after }) => after === 'until')) return words
  const before = words.slice(0, at)
  const kept = /^till?$/i.test(before.at(-1)?.text ?? '') ? before.slice(0, -1) : before
  return [...kept, { text: 'until', isQuoted: false }, ...words.slice(at)]
}

/** The times at the end of a line that a verb takes. */
function findTimes({ rules }: Verb, words: readonly Word[]): readonly Word[] {
  let left = words
  for (;;) {
    const found = rules.formed
      .filter(isTime)
      .map((parameter) => readAtEnd(parameter, left, rules.isNameQuoted))
      .find((each) => each !== undefined)
    if (!found) return words.slice(left.length)
    left = left.slice(0, -found.count)
  }
}

/** What says whom, where, or what by its form alone, so that it’s never a part of a sentence. */
const CARRIED: ReadonlySet<Kind> = new Set<Kind>(['person', 'host', 'address', 'channel', 'uuid'])

/** The words of a line that a verb takes by their form, in a line of their own, and the others: a person, a domain, a time before its flags. */
export function carryForms(verb: Verb, words: readonly Word[]): { carried: string; others: readonly Word[] } {
  const flagAt = words.findIndex((word) => matchFlag(word) !== undefined)
  const typed = words.slice(0, flagAt === -1 ? words.length : flagAt)
  const plain = typed.filter((word) => !isPolite(word, true)).map((word) => ({ ...word, text: toText(word) }))
  const forms = verb.rules.formed.filter(({ kind }) => CARRIED.has(kind))
  const isForm = (word: Word) =>
    !word.isQuoted && forms.some((form) => readText(form, toText(word)) !== undefined)
  const split = (all: readonly Word[]) => {
    const times = findTimes(verb, all)
    return { times, before: all.slice(0, all.length - times.length) }
  }
  const { times, before } = split(plain)
  const others = split(typed).before.filter((word) => !isForm(word))
  return { carried: joinWords([...before.filter(isForm), ...times]), others }
}

/** The words without small ones, and without those that only say the verb again: `list my orders`. */
function toPlain(known: ReadonlyMap<string, Verb>, verb: Verb, words: readonly Word[]): readonly Word[] {
  const { mayChange, canOpenForm, parameters = [] } = verb
  // `queue for me` isn't everybody's.
  const saysWhose = mayChange || parameters.some(({ words: choices }) => choices === MINE_WORDS)
  const isAgain = (text: string): boolean => {
    const [found, ...others] = known.has(text) ? [] : findVerbs(known, text)
    return found?.verb === verb && found.added === '' && others.length === 0
  }
  const end = words.findLastIndex((word) => !isPolite(word, true) && toText(word) !== '') + 1
  const typed = words.slice(0, end).map((word) => ({ ...word, text: toText(word) }))
  // The small word in `an hour` isn't one.
  const times = findTimes(verb, typed)
  const plain = typed.slice(0, typed.length - times.length).flatMap((word) => {
    const { text, isQuoted } = word
    if (isQuoted) return [word]
    if (isPolite(word, saysWhose) || text === '' || isAgain(text.toLowerCase())) return []
    // All of them are edited or deleted only by our own word.
    return [{ text: text.toLowerCase() === 'everything' && !canOpenForm ? 'all' : text, isQuoted }]
  })
  return [...plain, ...times]
}

/** The longest name of a health check among the words, and where it begins. */
export function findNamed(words: readonly Word[], names: readonly KnownCheck[]) {
  const folded = words.map((word) => (word.isQuoted ? '"' : foldName(toText(word)) || '"'))
  const text = ` ${folded.join(' ')} `
  const typed = new Set(text.split(' '))
  const isTyped = (name: string): boolean => name.split(' ').every((word) => typed.has(word))
  const found = names.filter(({ name }) => name !== '' && isTyped(name) && text.includes(` ${name} `))
  const [longest] = found.toSorted((one, other) => other.name.length - one.name.length)
  if (!longest) return undefined
  const start = text.slice(0, text.indexOf(` ${longest.name} `)).split(' ').length - 1
  return { ...longest, start, end: start + longest.name.split(' ').length }
}

/** The other words than the name of a health check. */
export function withoutName(words: readonly Word[], names?: readonly KnownCheck[]): readonly Word[] {
  const found = findNamed(words, names ?? [])
  return found ? words.toSpliced(found.start, found.end - found.start) : words
}

/** The words, with the name of a health check among them in quotes, so that none of its own words is read otherwise. */
function keepName(
  words: readonly Word[],
  names: readonly KnownCheck[],
  isTaken: (name: string) => boolean,
): readonly Word[] {
  const found = findNamed(words, names)
  if (!found || !isTaken(found.name)) return words
  return words.toSpliced(found.start, found.end - found.start, { text: found.check.name, isQuoted: true })
}

/** Whether a name alone is read as one, and not as a word of ours: `all`, `Backup 2h`. */
const isNameAlone = (reading: Reading | undefined, name: string): boolean =>
  reading !== undefined && foldName(listFree(reading).join(' ')) === name

/** What a line says where any words can be, once each: a name and a pattern may set the same flag. */
function listFree({ verb, args }: Reading): string[] {
  const free = (verb.parameters ?? []).filter((parameter) => !hasForm(parameter))
  return [...new Set(free.flatMap((parameter) => findValue(parameter, args) ?? []).map(String))]
}

const findValue = ({ name, flag = '' }: Parameter, { values, flags, lists }: Arguments) =>
  flags[flag] ?? values[name] ?? lists[flag] ?? lists[name]

/** Whether a line has a value for each argument that its verb requires, or of one in its place: a pattern for a name. Except for this one. */
const isComplete = ({ verb: { parameters = [] }, args }: Reading, except?: string): boolean =>
  parameters.every(
    ({ required, name, group = name }) => !required || group === except || hasValue(parameters, group, args),
  )

const hasValue = (parameters: readonly Parameter[], group: string, args: Arguments): boolean =>
  parameters.some((other) => (other.group ?? other.name) === group && findValue(other, args) !== undefined)

export const isAboutChecks = ({ parameters = [] }: Verb): boolean =>
  parameters.some(({ group }) => group === 'checks')

/** Whether a line names no health check, and its verb needs one or, in the thread of some, could be about one. */
export const lacksCheck = ({ verb: { parameters = [] }, args }: Reading, isInThread = false): boolean =>
  parameters.some(({ group, required }) => group === 'checks' && (required || isInThread)) &&
  !hasValue(parameters, 'checks', args)
