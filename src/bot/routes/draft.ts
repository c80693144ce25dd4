import { createFindPart, type NamedCheck } from '../../domain/mistyped-check-name.ts'
import { joinWords, splitWords, type Word } from '../../domain/quoting.ts'
import { foldName } from '../../domain/typed-text/fold-name.ts'
import { matchFlag } from '../grammar/flags.ts'
import { type Parameter, takesName } from '../grammar/parameters.ts'
import type { Arguments } from '../grammar/read-words.ts'
import { findVerbs, SAME_WORDS } from './other-words.ts'
import { stripMarks } from './question-marks.ts'
import type { Reading } from './read-line.ts'
import type { Verb } from './routes.ts'

/** The longest part of a line that the reader reads. */
export interface Draft {
  readonly line: string
  readonly reading: Reading
  readonly leftOut: readonly Word[]
}

type Read = (line: string) => Reading | undefined

/** Articles, politeness, and small words that a line may also be read without. */
const POLITE = new Set(
  "a an the this my me i we you please pls plz thanks thx can could would want need to of in on at for and is are was what what's whats".split(
    ' ',
  ),
)
const isPolite = (word: Word | undefined): boolean =>
  word !== undefined && !word.isQuoted && POLITE.has(word.text.toLowerCase())

/** The words of a line, without the marks around them, from the one that should be its verb. */
export function skipPolite(typed: readonly Word[]): readonly Word[] {
  const words = typed.flatMap((word, at): Word[] => {
    const text = word.isQuoted ? word.text : stripMarks(word.text).rest
    const isEnd = text === 'to' && /^\d+(?::|[ap]m)/.test(typed[at + 1]?.text ?? '')
    const ours = isEnd ? 'until' : SAME_WORDS.get(text.toLowerCase())
    return text === '' ? [] : [ours === undefined ? { ...word, text } : { text: ours, isQuoted: false }]
  })
  const start = words.findIndex((word) => !isPolite(word))
  return words.slice(Math.max(0, start))
}

/** How far into a line a verb is looked for. */
const MAX_BEFORE_VERB = 4

/** What a line means that wasn't read: the verb that leaves out least. Undefined if nothing says what it's about. */
export function findDraft(
  known: ReadonlyMap<string, Verb>,
  words: readonly Word[],
  read: Read,
  checks?: readonly NamedCheck[],
): Draft | undefined {
  const [bare, list] = ['', 'list'].map((name) => known.get(name))
  const isAboutChecks = takesName(bare?.parameters ?? [])
  const listDrafts = (at: number, most?: number): Draft[] => {
    const word = words[at]
    const verbs = word && !word.isQuoted ? findVerbs(known, word.text, at === 0) : []
    const others = words.toSpliced(at, 1)
    const marked = verbs.length > 0 ? markName(others, checks) : []
    return verbs
      .flatMap(({ verb, added }) => {
        const about = verb.parameters?.some(({ kind }) => kind === 'name') ? marked : others
        return draftLine(verb, [...about, ...splitWords(added)], read, checks, most) ?? []
      })
      .toSorted((one, other) => countLoose(one) - countLoose(other) || lacks(one) - lacks(other))
  }
  const [first] = words.length > MAX_WORDS ? [] : listDrafts(0)
  if (first || words.length > MAX_WORDS) return first
  // Behind a health check, a verb is meant only if nothing is left out: `shop mute 2h`.
  const places = isAboutChecks ? [...words.keys()].slice(1, MAX_BEFORE_VERB) : []
  const whole = places.flatMap((at) => listDrafts(at, 0)).find((draft) => countLoose(draft) === 0)
  if (whole) return whole
  // Without a verb, it shows what it names, or it's about what it begins with.
  const shown = bare && draftLine(bare, markName(words, checks), read, checks)
  if (isAboutChecks) return isNamed(shown?.reading) ? shown : undefined
  if (shown && shown.reading.words.length > 0 && shown.leftOut[0] !== words[0]) return shown
  const listed = list && draftLine(list, words, read)
  return listed && countLoose(listed) === 0 ? listed : undefined
}

const lacks = ({ reading }: Draft): number => (isComplete(reading) || isNamed(reading) ? 0 : 1)

/** How many words a line leaves out, or takes only because a text may have any. */
function countLoose({ leftOut, reading: { verb, args } }: Draft): number {
  const isText = ({ kind, usage, flag }: Parameter): boolean =>
    (kind === 'text' && usage !== '') || (kind === 'name' && flag !== undefined)
  const text = verb.parameters?.find(isText)
  const value = text && findValue(text, args)
  return leftOut.length + (typeof value === 'string' ? splitWords(value).length : 0)
}

const findValue = ({ name, flag = '' }: Parameter, { values, flags, lists }: Arguments) =>
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

/** In longer lines, looking for a name would take long, and with more words beside it, so would leaving some out. */
const MAX_WORDS = 12
const MAX_BESIDE = 8

/** A flag and the word behind it are left out together. */
function toUnits(words: readonly Word[]): Word[][] {
  const units: Word[][] = []
  for (const word of words) {
    const [flag, value] = units.at(-1) ?? []
    const isOpen = flag && !value && matchFlag(flag) && matchFlag(flag)?.value === undefined
    if (isOpen && !matchFlag(word)) units.at(-1)?.push(word)
    else units.push([word])
  }
  return units
}

/**
 * Leaves out as few words as possible, at `most` so many, for the reader to read the others, and for what they name to exist. Of as many,
 * the last ones.
 */
export function draftLine(
  verb: Verb,
  words: readonly Word[],
  read: Read,
  checks?: readonly NamedCheck[],
  most = MAX_BESIDE,
): Draft | undefined {
  const units = toUnits(words)
  if (units.length > MAX_BESIDE) return undefined
  const choices = Array.from({ length: 2 ** units.length }, (_, bits) => {
    const leftOut = units.filter((_, at) => (bits >> at) % 2 === 1).flat()
    return { leftOut, said: leftOut.filter((word) => !isPolite(word) && word.text !== verb.verb) }
  })
  const byCount = choices
    .reverse()
    .toSorted(
      (one, other) => one.said.length - other.said.length || one.leftOut.length - other.leftOut.length,
    )
  for (const { leftOut, said } of byCount) {
    if (said.length > most) return undefined
    const line = `${verb.line} ${joinWords(words.filter((word) => !leftOut.includes(word)))}`.trim()
    const reading = read(line)
    if (reading && (!checks || exists(reading, words, checks))) return { line, reading, leftOut: said }
  }
  return undefined
}

/** Whether the health check that a line names was found, or one begins like its pattern. */
function exists(
  { args: { values } }: Reading,
  words: readonly Word[],
  checks: readonly NamedCheck[],
): boolean {
  const { check, pattern } = values
  const [start = ''] = foldName(pattern ?? '').split('*', 1)
  if (pattern !== undefined) return checks.some(({ name }) => foldName(name).startsWith(start))
  return (
    check === undefined || words.some(({ text, isQuoted, typed }) => isQuoted && !typed && text === check)
  )
}

/** The words with the name of a health check, or the longest part of one, first and in quotes. */
export function markName(words: readonly Word[], checks: readonly NamedCheck[] = []): readonly Word[] {
  const whole = new Map(
    checks.flatMap(({ name, target = name }) => [target, name]).map((text) => [foldName(text), text]),
  )
  for (const find of [(text: string) => whole.get(foldName(text)), createFindPart(checks)])
    for (let count = words.length; count > 0; count -= 1)
      for (const start of words.keys()) {
        const run = words.slice(start, start + count)
        const isPart = run.length < count || isPolite(run[0]) || isPolite(run.at(-1))
        const name = isPart ? undefined : find(run.map(({ text }) => text).join(' '))
        if (name !== undefined) return [{ text: name, isQuoted: true }, ...words.toSpliced(start, count)]
      }
  return words
}

/** The name or target of a health check that a text is. */
export function findExactly(text: string, checks: readonly NamedCheck[] = []): string | undefined {
  const folded = foldName(text)
  const named = checks.find(({ name, target = name }) =>
    [name, target].some((each) => foldName(each) === folded),
  )
  return named && (foldName(named.name) === folded ? named.name : text)
}
