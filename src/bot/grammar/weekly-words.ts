import type { Word } from '../../domain/quoting.ts'
import type { Slot } from './slots.ts'

const WEEKDAY =
  /^(?<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:(?<=day)s)?,?$/i
const EVERY = /^(?:every|each)$/i
const CONNECTING = /^(?:at|from|between)$/i
const CLOCK =
  /^(?:\d{1,2}(?::\d{2})?(?:[ap]\.?m\.?)?(?:-\d{1,2}(?::\d{2})?(?:[ap]\.?m\.?)?)?|noon|midnight)$/i
const CLOCK_PART = /^(?:[ap]\.?m\.?|to|until|till|and|-)$/i

const isPlain = (word: Word | undefined, pattern: RegExp): word is Word =>
  word !== undefined && !word.isQuoted && pattern.test(word.text)

/**
 * For a verb with weekly times: `on Tuesdays` is `every Tuesday`, and the time follows the day wherever it was typed: `at 11:00 every
 * Tuesday`, `every Tuesday for 1h from 11:00`.
 */
export function orderWeekly(slots: readonly Slot[], typed: readonly Word[]): readonly Word[] {
  if (!slots.some(({ after, needsWord }) => needsWord && after?.includes('every'))) return typed
  const at = typed.findIndex(
    (word, index) =>
      isPlain(word, WEEKDAY) && (/days,?$/i.test(word.text) || isPlain(typed[index - 1], EVERY)),
  )
  const day = typed[at]
  if (!day) return typed
  const hasEvery = isPlain(typed[at - 1], EVERY)
  const start = hasEvery || isPlain(typed[at - 1], /^on$/i) ? at - 1 : at
  const before = typed.slice(0, start)
  const after = typed.slice(at + 1)
  const weekly = ['every', WEEKDAY.exec(day.text)?.groups?.day ?? ''].map((text) => ({
    text,
    isQuoted: false,
  }))
  if (isPlain(after[0], CLOCK) || isPlain(after[0], CONNECTING))
    return [...before, ...weekly, ...writeSpan(after)]
  const time = findTime(before) ?? findTime(after)
  const isTime = (word: Word): boolean => time?.includes(word) === true
  return [
    ...before.filter((word) => !isTime(word)),
    ...weekly,
    ...writeSpan(time ?? []),
    ...after.filter((word) => !isTime(word)),
  ]
}

/** `between 2am and 4am` is `from 2am to 4am`. */
function writeSpan(words: readonly Word[]): readonly Word[] {
  const [first, from, and, ...others] = words
  if (!first || !from || !isPlain(first, /^between$/i) || !isPlain(and, /^and$/i)) return words
  return [{ ...first, text: 'from' }, from, { ...and, text: 'to' }, ...others]
}

/** The words of a time of day: after a connecting word, or the last ones that can only be a time. */
function findTime(words: readonly Word[]): readonly Word[] | undefined {
  const isPart = (word: Word | undefined) => isPlain(word, CLOCK) || isPlain(word, CLOCK_PART)
  const marked = words.findLastIndex(
    (word, index) => isPlain(word, CONNECTING) && isPlain(words[index + 1], CLOCK),
  )
  const last = words.findLastIndex((word) => isPlain(word, CLOCK) && /[:m-]/i.test(word.text))
  if (marked < 0 && last < 0) return undefined
  let from = marked < 0 ? last : marked
  while (marked < 0 && isPart(words[from - 1])) from -= 1
  let to = from + 1
  while (isPart(words[to])) to += 1
  return words.slice(from, to)
}
