import { hasPart, type KnownCheck, toLetters } from '../../domain/known-names.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { findEnvironment, typedFlags } from '../grammar/flags.ts'
import { hasForm, isTime, type Parameter, readText, takesName } from '../grammar/parameters.ts'
import { type Arguments, readWords } from '../grammar/read-words.ts'
import { MINE_WORDS } from '../grammar/vocabulary.ts'
import { writeTyped } from '../routes/lines.ts'
import type { Reading } from '../routes/read-line.ts'
import type { Verb } from '../routes/routes.ts'
import { findVerbs } from './other-words.ts'
import { beforeQuestion, stripMarks } from './question-marks.ts'

/** A line that the reader reads, and that leaves out nothing that was typed but small words. */
export interface Meant {
  readonly line: string
  readonly reading: Reading
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
const toWord = (word: Word): string => (word.isQuoted ? '' : toText(word).toLowerCase())
export const isPolite = (word: Word, mayChange = false): boolean =>
  POLITE.has(toWord(word)) || (!mayChange && POLITE_IN_READS.has(toWord(word)))

/** The words of a line from the one that should be its verb, without a question mark at the end. `my orders` is `orders my`. */
export function skipPolite(typed: readonly Word[]): readonly Word[] {
  const words = beforeQuestion(typed) ?? typed
  const start = words.findIndex((word) => !isPolite(word) && toText(word) !== '')
  const [first, ...others] = words.slice(Math.max(0, start))
  const mine = words.slice(0, Math.max(0, start)).filter((word) => MINE.has(toWord(word)))
  return first ? [{ ...first, text: toText(first) }, ...mine, ...others] : []
}

/** A way to write the words after a verb. */
type Way = (verb: Verb, words: readonly Word[]) => readonly Word[]

/**
 * The line that was meant: with our word for its verb, and without small words. Of several, the one that lacks nothing, that has most words
 * of a health check's name, and whose name or text takes fewest of the other words. Nothing else is left out, so that no line means less
 * than what was typed, and nothing at all where the names aren't known: one may have these words.
 */
export function findMeant(
  known: ReadonlyMap<string, Verb>,
  typed: readonly Word[],
  read: (line: string) => Reading | undefined,
  names: readonly KnownCheck[] | undefined,
): Meant | undefined {
  if (typed.length > MAX_WORDS) return undefined
  const [first, ...others] = typed
  const named = first && !first.isQuoted ? findVerbs(known, toText(first)) : []
  // What a word adds says whose it is: “my approvals” are mine to decide, not requested by me.
  const verbs = named.map(({ verb, added }) => ({
    verb,
    words: added ? [...splitWords(added), ...others.filter((word) => !MINE.has(toWord(word)))] : others,
  }))
  const environment = findEnvironment(joinWords(typed))
  const readAs = (verb: Verb, words: readonly Word[]): Meant[] => {
    const keep = () => keepName(words, names ?? [], (name) => isNameAlone(read(`${verb.line} ${name}`), name))
    const bases = keepsText(verb) || !names ? [] : [words, toPlain(verb, words), toPlain(verb, keep())]
    const texts = new Set(
      [words, ...bases.flatMap((base) => WAYS.map((way) => way(verb, base)))].map(joinWords),
    )
    return [...texts].flatMap((text) => {
      const line = `${verb.line} ${text}`.trim()
      const reading = read(line)
      // One of the words may be read as another verb: the first one behind a command, or `help` behind a verb.
      const isRead = reading && joinWords(reading.words) === text && reading.args.flags.env === environment
      return isRead ? [{ line: keepsText(verb) ? writeTyped(reading) : line, reading }] : []
    })
  }
  // Without a verb, a line is a name or, where none can stand, what to list: `/cert-order pending`.
  const bare = known.get('')
  const isName = takesName(bare?.parameters ?? [])
  const shown = isName ? bare : (known.get('list') ?? known.get('queue'))
  const found =
    verbs.length === 0 && shown
      ? readAs(shown, typed).filter((meant) => isName === countFree(meant) > 0)
      : verbs.flatMap(({ verb, words }) => readAs(verb, words))
  const [{ meant: best } = {}] = found
    .map((meant) => ({ meant, missing: countMissing(meant), named: countNamed(meant, names) }))
    .toSorted(
      (one, other) =>
        one.missing - other.missing ||
        other.named - one.named ||
        countFree(one.meant) - countFree(other.meant),
    )
  return best
}

/** More than a command has. Each way to write a line reads all of them. */
const MAX_WORDS = 200

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
export const MAX_TIME = 6

/** `30m shop`, `tonight 22:00 for 2h shop`: the reader expects times behind the name. */
function timesLast(verb: Verb, words: readonly Word[]): readonly Word[] {
  for (let count = Math.min(MAX_TIME, words.length - 1); count > 0; count -= 1)
    if (hasOnlyTimes(verb, words.slice(0, count))) return [...words.slice(count), ...words.slice(0, count)]
  return words
}

/** The times at the end of a line. */
export function findTimes(verb: Verb, words: readonly Word[]): readonly Word[] {
  const start = words.findIndex((_, at) => hasOnlyTimes(verb, words.slice(at)))
  return start === -1 ? [] : words.slice(start)
}

function hasOnlyTimes({ rules }: Verb, words: readonly Word[]): boolean {
  try {
    const args = readWords(rules, words)
    const taken = rules.parameters.filter((parameter) => findValue(parameter, args) !== undefined)
    return taken.length > 0 && taken.every(isTime)
  } catch {
    return false
  }
}

/** The words without small ones. */
function toPlain({ mayChange, parameters = [] }: Verb, words: readonly Word[]): readonly Word[] {
  // `queue for me` isn't everybody's.
  const saysWhose = mayChange || parameters.some(({ words: choices }) => choices === MINE_WORDS)
  return words.flatMap((word, at) => {
    if (word.isQuoted) return [word]
    const text = toText(word)
    const isEnd = text === 'to' && /^\d+(?::|[ap]m)/.test(words[at + 1]?.text ?? '')
    if (isEnd) return [{ text: 'until', isQuoted: false }]
    const ours = text.toLowerCase() === 'everything' ? 'all' : text
    return isPolite(word, saysWhose) || text === '' ? [] : [{ text: ours, isQuoted: false }]
  })
}

const WAYS: readonly Way[] = [(_, words) => words, withDashes, timesLast]

/** The words, with the longest name of a health check among them in quotes, so that none of its own words is read otherwise. */
function keepName(
  words: readonly Word[],
  names: readonly KnownCheck[],
  isTaken: (name: string) => boolean,
): readonly Word[] {
  const folded = words.map((word) => (word.isQuoted ? '"' : foldName(toText(word)) || '"'))
  const text = ` ${folded.join(' ')} `
  const found = names.filter(({ name }) => name !== '' && text.includes(` ${name} `))
  const [longest] = found.toSorted((one, other) => other.name.length - one.name.length)
  if (!longest || !isTaken(longest.name)) return words
  const start = text.slice(0, text.indexOf(` ${longest.name} `)).split(' ').length - 1
  const end = start + longest.name.split(' ').length
  return [...words.slice(0, start), { text: longest.name, isQuoted: true }, ...words.slice(end)]
}

/** Whether a name alone is read as one, and not as a word of ours: `all`, `Backup 2h`. */
const isNameAlone = (reading: Reading | undefined, name: string): boolean =>
  reading !== undefined && foldName(listFree(reading).join(' ')) === name

/** How many words of a line are the name of a health check or, for a read, are in one. */
function countNamed({ reading }: Meant, names: readonly KnownCheck[] = []): number {
  const text = listFree(reading).join(' ')
  const [name, letters] = [foldName(text), toLetters(text)]
  const isNamed = names.some(
    (known) => known.name === name || (!reading.mayChange && hasPart(known, letters)),
  )
  return isNamed ? splitWords(text).length : 0
}

/** A read that lacks an argument shows nothing: `status` alone is about everything. */
const countMissing = ({ reading }: Meant): number => Number(!reading.verb.mayChange && !isComplete(reading))

/** How many words a line takes only because a name or a text may have any. */
const countFree = ({ reading }: Meant): number =>
  listFree(reading).flatMap((value) => splitWords(value)).length

/** What a line says where any words can be, once each: a name and a pattern may set the same flag. */
export function listFree({ verb, args }: Reading): string[] {
  const free = (verb.parameters ?? []).filter((parameter) => !hasForm(parameter))
  return [...new Set(free.flatMap((parameter) => findValue(parameter, args) ?? []).map(String))]
}

const findValue = ({ name, flag = '' }: Parameter, { values, flags, lists }: Arguments) =>
  flags[flag] ?? values[name] ?? lists[flag] ?? lists[name]

/** Whether a line has a value for each argument that its verb requires, or of one in its place: a pattern for a name. Except for this one. */
export const isComplete = ({ verb: { parameters = [] }, args }: Reading, except?: string): boolean =>
  parameters.every(
    ({ required, name, group = name }) => !required || group === except || hasValue(parameters, group, args),
  )

const hasValue = (parameters: readonly Parameter[], group: string, args: Arguments): boolean =>
  parameters.some((other) => (other.group ?? other.name) === group && findValue(other, args) !== undefined)

/** Whether a line names no health check, and its verb needs one or, in the thread of some, could be about one. */
export const lacksCheck = ({ verb: { parameters = [] }, args }: Reading, isInThread = false): boolean =>
  parameters.some(({ group, required }) => group === 'checks' && (required || isInThread)) &&
  !hasValue(parameters, 'checks', args)
