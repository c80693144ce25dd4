import { clip } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { closestChoice } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { flagType, typedFlags, type WordRules } from './flags.ts'
import { InvalidLine } from './invalid-line.ts'
import { listFormed, readAtEdge, readText, type Slot, takesName } from './slots.ts'
import { writeUsage } from './usage.ts'

interface Unread {
  /** All words after the verb. */
  readonly typed: readonly Word[]
  /** Those that no argument with a form of its own took. */
  readonly left: readonly Word[]
  /** Whether an argument can still be typed. */
  readonly isOpen: (slot: Slot) => boolean
}

/**
 * Throws InvalidLine for words that are nearly an argument, and would be read as part of a name: a number where a duration is missing, a
 * time without its word, a time before the name, a value in quotes. Offers the line that was probably meant and, since a name may look
 * like that, the name in quotes.
 */
export function refuseNearly(rules: WordRules, { typed, left, isOpen }: Unread): void {
  const { slots } = rules
  const last = left.at(-1)
  if (!last || slots.some(({ isProse }) => isProse)) return
  const isNamed = takesName(slots)
  const offer = (...replaced: Word[]): string =>
    `${rules.line} ${joinWords(replaceWords(typed, left, replaced))}`
  const name = { text: left.map(({ text }) => text).join(' '), isQuoted: true }
  const line: Line = {
    ...{ rules, typed, left, last, offer, named: isNamed ? 1 : 0 },
    open: listFormed(slots).filter(isOpen),
    // Without a name, nothing else can take the words.
    isMissing: (slot) =>
      !isNamed ||
      slots.some(({ required, group, name }) => required && (group ?? name) === (slot.group ?? slot.name)),
    asName: isNamed ? [offer(name)] : [],
  }
  refuseSecond(line)
  refuseHour(line)
  refuseDuration(line)
  refuseMoment(line)
  refuseQuoted(line)
}

/** A line with words that could be a name. */
interface Line {
  readonly rules: WordRules
  readonly typed: readonly Word[]
  readonly left: readonly Word[]
  readonly last: Word
  /** The arguments with a form of their own that can still be typed. */
  readonly open: readonly Slot[]
  /** Whether an argument has to be typed. */
  readonly isMissing: (slot: Slot) => boolean
  /** How many words are a name at least. */
  readonly named: number
  /** The line with other words in place of `left`. */
  readonly offer: (...replaced: Word[]) => string
  /** The line with `left` as a name. */
  readonly asName: readonly string[]
}

/** Throws InvalidLine for a person, a channel, or an address among other words: what follows it, or a second one. */
function refuseSecond({ rules, typed, left, asName }: Line): void {
  const formed = rules.slots.filter(({ kind }) => ['person', 'channel', 'address'].includes(kind))
  const at = left.findIndex(
    (word) => !word.isQuoted && formed.some((slot) => readText(slot, word.text) !== undefined),
  )
  if (at === -1) return
  throw notTaken(rules, left.slice(at + 1 < left.length ? at + 1 : at), typed, asName)
}

const findMoment = ({ open }: Line): Slot | undefined =>
  open.find(({ kind, after }) => kind === 'moment' && after !== undefined)

const isNumber = ({ text, isQuoted }: Word): boolean => !isQuoted && /^\d{1,4}$/.test(text)

/** Throws InvalidLine for `until 5`, which is in the morning for some and in the afternoon for others. */
function refuseHour(line: Line): void {
  const { left, last, offer, asName } = line
  const hour = Number(last.text)
  const after = findMoment(line)?.after
  if (after === undefined || !isNumber(last) || !isWord(left.at(-2), [after])) return
  const times = listHours(hour).map((text) => offer(...left.slice(0, -1), { text, isQuoted: false }))
  throw new InvalidLine('Type the time with its minutes.', [...times, ...asName])
}

/** Throws InvalidLine for a duration without its unit, or before the name. */
function refuseDuration({ open, isMissing, left, last, named, offer, asName }: Line): void {
  const duration = open.find((slot) => slot.kind === 'duration' && isMissing(slot))
  if (!duration) return
  if (left.length > named && isNumber(last)) {
    const units = ['m', 'h'].map((unit) => offer(...left.slice(0, -1), { ...last, text: last.text + unit }))
    throw new InvalidLine(`${last.text} minutes or hours?`, [...units, ...asName])
  }
  const early = findRun(left, 'start', 1, (text) => readText(duration, text) !== undefined)
  if (early)
    throw new InvalidLine('Type the name first, and then for how long.', [
      offer(...left.slice(early), ...left.slice(0, early)),
      ...asName,
    ])
}

/** Throws InvalidLine for a time without its word. Offers none where another word is before it, or the word is elsewhere. */
function refuseMoment(line: Line): void {
  const { rules, typed, left, isMissing, named, offer, asName } = line
  const moment = findMoment(line)
  if (!moment) return
  const isTime = (text: string): boolean =>
    (isMissing(moment) || /\d/.test(text)) &&
    !/^(?:yesterday|now)/i.test(text) &&
    readText(moment, text) !== undefined
  const count = findRun(left, 'end', named, isTime)
  if (!count) return
  const words = writeMoment(moment.after ?? '', left.slice(0, -count), left.slice(-count), named)
  if (!words) throw notTaken(rules, left.slice(findPreposition(left)), typed, asName)
  throw new InvalidLine(`Type “${moment.after}” before the time.`, [offer(...words), ...asName])
}

/** Throws InvalidLine for a value in quotes behind a name. */
function refuseQuoted({ left, last, open, named, offer }: Line): void {
  if (!last.isQuoted || left.length === 1 || named === 0) return
  const unquoted = [...left.slice(0, -1), ...last.text.split(' ').map((text) => ({ text, isQuoted: false }))]
  if (open.some((slot) => readAtEdge(slot, unquoted, 'end')))
    throw new InvalidLine(`“${last.text}” is in quotes, so it would be part of a name.`, offer(...unquoted))
}

/** An hour, which may be in the morning or in the afternoon. None if no day has it. */
const listHours = (hour: number): string[] =>
  [hour, hour + 12].filter((each) => each < 24).map((each) => `${each}:00`)

/** Words that people type before a time, and those that mean the same as the one before a slot. */
const PREPOSITIONS = ['until', 'from', 'every', 'till', 'til', 'to', 'by', 'at', 'on']
const SAME: Readonly<Record<string, readonly string[]>> = {
  until: ['until', 'till', 'til', 'to', 'by', 'at', 'on'],
  from: ['from', 'at', 'on'],
}

const isWord = (word: Word | undefined, words: readonly string[]): boolean =>
  word !== undefined && !word.isQuoted && words.includes(word.text.toLowerCase())

/** Where the last words before a time begin. */
const findPreposition = (words: readonly Word[]): number =>
  Math.max(
    0,
    words.findLastIndex((word) => isWord(word, PREPOSITIONS)),
  )

/** The words with the one that has to be before the time. Undefined if they have another one, or have it elsewhere. */
function writeMoment(
  after: string,
  before: readonly Word[],
  time: readonly Word[],
  named: number,
): readonly Word[] | undefined {
  const isTyped = isWord(time[0], PREPOSITIONS)
  const [words, moment] = isTyped ? [[...before, ...time.slice(0, 1)], time.slice(1)] : [before, time]
  const hasWord = words.length > named && isWord(words.at(-1), PREPOSITIONS)
  if (hasWord && !isWord(words.at(-1), SAME[after] ?? [])) return undefined
  const kept = hasWord ? words.slice(0, -1) : words
  return kept.some((word) => isWord(word, PREPOSITIONS))
    ? undefined
    : [...kept, { text: after, isQuoted: false }, ...moment]
}

/** How many words at one end are read together; `named` others are a name. Undefined if none are. */
function findRun(
  words: readonly Word[],
  edge: 'start' | 'end',
  named: number,
  isRead: (text: string) => boolean,
): number | undefined {
  for (let count = Math.min(3, words.length - named); count > 0; count -= 1) {
    const run = edge === 'end' ? words.slice(-count) : words.slice(0, count)
    if (run.every(({ isQuoted }) => !isQuoted) && isRead(run.map(({ text }) => text).join(' '))) return count
  }
  return undefined
}

/** The words of a line with some of them replaced. */
export function replaceWords(
  typed: readonly Word[],
  replaced: readonly Word[],
  replacement: readonly Word[],
): readonly Word[] {
  const [first] = replaced
  return typed.flatMap((word) => {
    if (word === first) return replacement
    // What stands beside other words now isn't glued to them.
    const { isGlued: _, ...apart } = word
    return replaced.includes(word) ? [] : [apart]
  })
}

/** The error for words that no argument takes. Offers the word or the flag that one of them is close to. */
export function notTaken(
  rules: WordRules,
  words: readonly Word[],
  typed: readonly Word[],
  others: readonly string[] = [],
): InvalidLine {
  const usage = writeUsage(rules)
  const text = clip(joinWords(words), 60)
  const line = cmd(rules.line)
  if (usage === '') return new InvalidLine(`\`${line}\` doesn’t take “${text}”. Type it alone.`, rules.line)
  const slip = words.flatMap((word) => {
    const meant = findMeant(rules, word)
    return meant === undefined ? [] : [replaceWords(typed, [word], [{ text: meant, isQuoted: false }])]
  })
  return new InvalidLine(`\`${line}\` doesn’t take “${text}”. Type \`${line} ${usage}\`.`, [
    ...slip.slice(0, 1).map((corrected) => `${rules.line} ${joinWords(corrected)}`),
    ...others,
  ])
}

/** The word of a choice that a word is close to, or the start of: `prod`. Or the switch that it names: `closed`. */
function findMeant({ slots, flags }: WordRules, { text }: Word): string | undefined {
  const isSwitch = typedFlags(flags).some(([flag, { type }]) => flag === text && flagType(type) === 'switch')
  if (isSwitch) return `--${text}`
  return closestChoice(
    text,
    slots.flatMap(({ words = {} }) => Object.keys(words)),
  )
}
