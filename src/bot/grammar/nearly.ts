import { joinWords, type Word } from '../../domain/quoting.ts'
import { Refused } from './refused.ts'
import { listFormed, readAtEdge, readText, type Slot, takesName } from './slots.ts'
import type { WordRules } from './word-rules.ts'

interface Unread {
  /** All words after the verb. */
  readonly typed: readonly Word[]
  /** Those that no argument with a form of its own took. */
  readonly left: readonly Word[]
  /** Whether an argument can still be typed. */
  readonly isOpen: (slot: Slot) => boolean
}

/**
 * Throws Refused for words that are nearly an argument, and would be read as part of a name: a number where a duration is missing, a
 * time without its word, a time before the name, a value in quotes. Offers the line that was probably meant and, since a name may look
 * like that, the name in quotes.
 */
export function refuseNearly(rules: WordRules, { typed, left, isOpen }: Unread): void {
  const { slots } = rules
  const last = left.at(-1)
  if (!last || slots.some(({ isProse }) => isProse)) return
  const open = listFormed(slots).filter(isOpen)
  // Without a name, nothing else can take the words.
  const isMissing = (slot: Slot): boolean =>
    !takesName(slots) ||
    slots.some(({ required, group, name }) => required && (group ?? name) === (slot.group ?? slot.name))
  const offer = (...replaced: Word[]): string =>
    `${rules.line} ${joinWords(replaceWords(typed, left, replaced))}`
  const asName = takesName(slots)
    ? [offer({ text: left.map(({ text }) => text).join(' '), isQuoted: true })]
    : []

  const duration = open.find((slot) => slot.kind === 'duration' && isMissing(slot))
  const named = takesName(slots) ? 1 : 0
  if (duration && left.length > named && !last.isQuoted && /^\d{1,4}$/.test(last.text)) {
    const others = left.slice(0, -1)
    throw new Refused(`${last.text} minutes or hours?`, [
      offer(...others, { ...last, text: `${last.text}m` }),
      offer(...others, { ...last, text: `${last.text}h` }),
      ...asName,
    ])
  }
  const early = duration && findRun(left, 'start', 1, (text) => readText(duration, text) !== undefined)
  if (early)
    throw new Refused('Type the name first, and then for how long.', [
      offer(...left.slice(early), ...left.slice(0, early)),
      ...asName,
    ])
  const moment = open.find((slot) => slot.kind === 'moment' && slot.after !== undefined)
  const at =
    moment &&
    findRun(
      left,
      'end',
      named,
      (text) =>
        (isMissing(moment) || /\d/.test(text)) &&
        !/^yesterday/i.test(text) &&
        readText(moment, text) !== undefined,
    )
  if (moment && at) throw refuseMoment(moment.after ?? '', left.slice(0, -at), left.slice(-at), offer, asName)
  if (!last.isQuoted || left.length === 1 || !takesName(slots)) return
  const unquoted = [...left.slice(0, -1), ...last.text.split(' ').map((text) => ({ text, isQuoted: false }))]
  if (open.some((slot) => readAtEdge(slot, unquoted, 'end')))
    throw new Refused(`“${last.text}” is in quotes, so it would be part of a name.`, offer(...unquoted))
}

/** Words that people type before a time. */
const PREPOSITIONS = ['till', 'til', 'to', 'by', 'at', 'on']

/** Refuses a time without its word. A line that has the word elsewhere has no known correction. */
function refuseMoment(
  word: string,
  before: readonly Word[],
  time: readonly Word[],
  offer: (...words: Word[]) => string,
  asName: readonly string[],
): Refused {
  const is = (index: number, words: readonly string[]): boolean =>
    words.includes(before.at(index)?.text.toLowerCase() ?? '')
  const kept = before.length > 1 && is(-1, PREPOSITIONS) ? before.slice(0, -1) : before
  const isKnown = !before.some((_, index) => is(index, [word]))
  return new Refused(`Type “${word}” before the time.`, [
    ...(isKnown ? [offer(...kept, { text: word, isQuoted: false }, ...time)] : []),
    ...asName,
  ])
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
