import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { findEnvironment, matchFlag, typedFlags } from '../grammar/flags.ts'
import { hasForm, type Parameter, readText, takesName } from '../grammar/parameters.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { MINE_WORDS } from '../grammar/vocabulary.ts'
import { writeTyped } from '../routes/lines.ts'
import type { Reading } from '../routes/read-line.ts'
import type { Verb } from '../routes/routes.ts'
import { findVerbs, PHRASES, SAME_WORDS } from './other-words.ts'
import { beforeQuestion, stripMarks } from './question-marks.ts'

/** A line that the reader reads, and that leaves out nothing that was typed but small words. */
export interface Meant {
  readonly line: string
  readonly reading: Reading
}

/** Articles, politeness, and small words that a line may also be read without. Not `in` and `at`: `in 2h` isn't `for 2h`. */
const POLITE = new Set(
  "a an the this it its my me i im i'm we you please pls plz thanx thanks thx can could would want need to of on for and is are was what what's whats how how's hows".split(
    ' ',
  ),
)

/** What a health check may be, which its card says. */
const STATES = new Set('status state up down ok okay alive working fine broken healthy reachable'.split(' '))

/** What a question may begin with. `who` is a verb of ours, too. */
const QUESTION_WORDS = new Set("who whos who's when which where".split(' '))

const MINE = new Set(Object.keys(MINE_WORDS))

const toText = ({ text, isQuoted }: Word): string => (isQuoted ? text : stripMarks(text).rest)
const toWord = (word: Word | undefined): string =>
  !word || word.isQuoted ? '' : toText(word).toLowerCase().replaceAll('’', "'")
export const isPolite = (word: Word): boolean => POLITE.has(toWord(word))

/** The words of a line from the one that should be its verb, without a question mark at the end. `my orders` is `orders my`. */
export function skipPolite(typed: readonly Word[]): readonly Word[] {
  const words = beforeQuestion(typed) ?? typed
  const findPhrase = (word: Word | undefined, at: number) =>
    word && PHRASES.get(`${toWord(word)} ${toWord(words[at + 1])}`)
  const isMeant = (word: Word, at: number) =>
    findPhrase(word, at) !== undefined || !(isPolite(word) || toText(word) === '')
  const start = Math.max(0, words.findIndex(isMeant))
  const [first, ...others] = words.slice(start)
  const mine = words.slice(0, start).filter((word) => MINE.has(toWord(word)))
  const phrase = findPhrase(first, start)
  if (phrase !== undefined) return [{ text: phrase, isQuoted: false }, ...mine, ...others.slice(1)]
  return first ? [{ ...first, text: toText(first) }, ...mine, ...others] : []
}

/**
 * The line that answers a question, or shows what is named: `changed checkout` of `who changed checkout`, `show checkout` of `is checkout up?`
 * and `checkout please`. Undefined for any other line.
 */
export function findAsked(
  known: ReadonlyMap<string, Verb>,
  typed: readonly Word[],
): readonly Word[] | undefined {
  const words = beforeQuestion(typed) ?? typed
  const [first, ...others] = words
  const asked = QUESTION_WORDS.has(toWord(first)) ? skipPolite(others) : []
  if (asked.length > 0) return asked
  const isVerb = known.has(toWord(first)) || findVerbs(known, toWord(first)).length > 0
  if (isVerb || others.length === 0 || !showsNames(known)) return undefined
  const isState = STATES.has(toWord(words.at(-1)))
  return [...splitWords('show'), ...skipPolite(isState ? words.slice(0, -1) : words)]
}

/** A line that names its environment without the flag for it: `down in ote`, `status pay (ote)`. */
export function splitEnvironment(
  words: readonly Word[],
): { readonly words: readonly Word[]; readonly environment: Environment } | undefined {
  const [before, last] = words.slice(-2)
  if (!before || !last || last.isQuoted) return undefined
  const [, bracket, name] = /^([([@]?)([a-z]+)[)\]]?$/.exec(toWord(last)) ?? []
  const environment = ENVIRONMENTS.find((each) => each === name)
  const isPlace = ['in', 'on'].includes(toWord(before))
  // A name may end with “production”.
  if (!environment || !(isPlace || bracket || environment === 'ote')) return undefined
  return { words: words.slice(0, isPlace ? -2 : -1), environment }
}

/** A way to write the words after a verb. */
type Way = (verb: Verb, words: readonly Word[]) => readonly Word[]

/**
 * The line that was meant: with our word for its verb, and without small words. Of several, the one that lacks nothing, and whose name or
 * text takes fewest of the words. Nothing else is left out, so that no line means less than what was typed.
 */
export function findMeant(
  known: ReadonlyMap<string, Verb>,
  typed: readonly Word[],
  read: (line: string) => Reading | undefined,
): Meant | undefined {
  if (typed.length > MAX_WORDS) return undefined
  const environment = findEnvironment(joinWords(typed))
  const found = listCandidates(known, typed).flatMap(({ verb, words, isNamed }) => {
    const texts = new Set((keepsText(verb) ? [words] : WAYS.map((way) => way(verb, words))).map(joinWords))
    return [...texts].flatMap((text) => {
      const line = `${verb.line} ${text}`.trim()
      const reading = read(line)
      // One of the words may be read as another verb: the first one behind a command, or `help` behind a verb.
      const isRead = reading && joinWords(reading.words) === text && reading.args.flags.env === environment
      if (!isRead || !(isNamed || countFree({ line, reading }) === 0)) return []
      return [{ line: keepsText(verb) ? writeTyped(reading) : line, reading }]
    })
  })
  return found.toSorted(
    (one, other) => countMissing(one) - countMissing(other) || countFree(one) - countFree(other),
  )[0]
}

/** More than a command has. Each way to write a line reads all of them. */
const MAX_WORDS = 200

/**
 * The verbs that a line may have, with the words after them. Where no name can stand, it may begin with what to list: `/cert-order pending`,
 * `/threat mine`.
 */
export function listCandidates(known: ReadonlyMap<string, Verb>, typed: readonly Word[]) {
  const [first, ...others] = typed
  const verbs = first && !first.isQuoted ? findVerbs(known, toText(first)) : []
  if (verbs.length > 0)
    return verbs.map(({ verb, added }) => ({
      verb,
      words: [...splitWords(added), ...others],
      isNamed: true,
    }))
  const list = showsNames(known) ? undefined : (known.get('list') ?? known.get('queue'))
  return list ? [{ verb: list, words: typed, isNamed: false }] : []
}

/** Whether a command without a verb shows what is named. */
export const showsNames = (known: ReadonlyMap<string, Verb>): boolean =>
  takesName(known.get('')?.parameters ?? [])

/** Whether a text is kept as it was typed, such as a note. */
const keepsText = ({ parameters = [] }: Verb): boolean => parameters.some(({ isProse }) => isProse)

/** The words, with the dashes of flags that were typed without: `edit shop* port 8443`. */
function withDashes({ flags, parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const names = new Set(typedFlags(flags).map(([name]) => name))
  return words.map((word, at) => {
    const [name = '', value = words[at + 1]?.text ?? ''] = word.text.toLowerCase().split('=')
    const forms = parameters.filter(({ flag }) => flag === name)
    const hasForm = forms.length === 0 || forms.some((form) => readText(form, value) !== undefined)
    const isBare = word.isQuoted || toWord(words[at + 1]) === 'of'
    return !isBare && names.has(name) && hasForm ? { ...word, text: `--${word.text}` } : word
  })
}

/** `Shop checkout 5m`: a name may end like a time, so the reader takes both for one. */
function quoteName({ parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const [name, last] = [words.slice(0, -1), words.at(-1)]
  const isInterval = ({ kind, after }: Parameter): boolean => kind === 'interval' && after === undefined
  const interval = parameters.find(isInterval)
  const isTimed = last && interval && readText(interval, last.text) !== undefined
  if (!isTimed || name.length === 0 || name.some((word) => word.isQuoted || matchFlag(word))) return words
  return [{ text: name.map(({ text }) => text).join(' '), isQuoted: true }, last]
}

/** `30m shop`: the reader expects a duration behind the name. */
function durationLast({ parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const [first, ...others] = words
  const duration = parameters.find(({ kind }) => kind === 'duration')
  const isFirst = first && !first.isQuoted && duration && readText(duration, first.text) !== undefined
  return isFirst && others.length > 0 ? [...others, first] : words
}

/** `port of checkout to 8443` */
function toSetting({ flags }: Verb, words: readonly Word[]): readonly Word[] {
  const of = words.findIndex((word) => toWord(word) === 'of')
  const to = words.findLastIndex((word) => toWord(word) === 'to')
  const name = words[of - 1]
  const isFlag = name && !name.isQuoted && typedFlags(flags).some(([flag]) => flag === toWord(name))
  if (!isFlag || to < of || !words.slice(0, of - 1).every(isPolite)) return words
  return [...words.slice(of + 1, to), { ...name, text: `--${toWord(name)}` }, ...words.slice(to + 1)]
}

/** `22:00-23:30`, `10pm-11pm` */
const TIME_RANGE = /^(\d{1,2}(?::\d{2}|[ap]m)+)[-–](\d{1,2}(?::\d{2}|[ap]m)+)$/i
const WEEKDAY = /^((?:mon|tues|wednes|thurs|fri|satur|sun)day)(s?)$/

/** `every sunday` and `sundays` are every week on one. */
function toWeekly({ parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  const at = words.findIndex((word) => WEEKDAY.test(toWord(word)))
  const [, day = '', several] = WEEKDAY.exec(toWord(words[at])) ?? []
  const isEvery = toWord(words[at - 1]) === 'every'
  const canRepeat = parameters.some(({ kind, after }) => kind === 'choice' && after === 'every')
  if (!canRepeat || !(several || isEvery)) return words
  const before = words.slice(0, isEvery ? at - 1 : at)
  return [...before, ...splitWords(day), ...words.slice(at + 1), ...splitWords('every week')]
}

/** Our words for the same. Undefined if it's no other word for them. */
function toOurs(word: Word, next: Word | undefined): string | undefined {
  const text = toText(word)
  const range = TIME_RANGE.exec(text)
  if (range) return `${range[1]} until ${range[2]}`
  const isEnd = text === 'to' && /^\d+(?::|[ap]m)/.test(next?.text ?? '')
  return isEnd ? 'until' : SAME_WORDS.get(toWord(word))
}

/** The words without small ones, and in ours for the same. */
function toPlain(verb: Verb, typed: readonly Word[]): readonly Word[] {
  const words = toWeekly(verb, typed)
  return words.flatMap((word, at) => {
    if (word.isQuoted) return [word]
    const ours = toOurs(word, words[at + 1])
    if (ours !== undefined) return splitWords(ours)
    const text = toText(word)
    // Before a name: `in 2h` isn't `for 2h`.
    const isPlace = text === 'in' && at === 0 && !verb.mayChange
    // Beside a person or an address: `from 22:00` is a time.
    const isFrom = text === 'from' && [words[at - 1], words[at + 1]].some((each) => each?.text.includes('@'))
    if (isPolite(word) || text === '' || isPlace || isFrom) return []
    return [text === word.text ? word : { text, isQuoted: false }]
  })
}

const WAYS: readonly Way[] = [(_, words) => words, withDashes, quoteName, durationLast, toSetting, toPlain]

/** A read that lacks an argument shows nothing: `status` alone is about everything. */
const countMissing = ({ reading }: Meant): number => Number(!reading.verb.mayChange && !isComplete(reading))

/** How many words a line takes only because a name or a text may have any. */
function countFree({ reading: { verb, args } }: Meant): number {
  const free = (verb.parameters ?? []).filter((parameter) => !hasForm(parameter))
  const values = free.flatMap((parameter) => findValue(parameter, args) ?? [])
  return values.flatMap((value) => splitWords(String(value))).length
}

/** The value of a parameter, wherever it's kept. */
export const findValue = ({ name, flag = '' }: Parameter, { values, flags, lists }: Arguments) =>
  flags[flag] ?? values[name] ?? lists[flag] ?? lists[name]

/** Whether a line has a value for each argument that its verb requires, or of one in its place: a pattern for a name. */
export const isComplete = ({ verb, args }: Reading): boolean =>
  verb.parameters?.every(
    ({ required, name, group = name }) =>
      !required ||
      verb.parameters?.some(
        (other) => (other.group ?? other.name) === group && findValue(other, args) !== undefined,
      ) === true,
  ) ?? true
