import type { Word } from '../../domain/quoting.ts'
import { matchFlag } from '../grammar/flags.ts'

const QUESTION_MARKS = '?？؟⁇⁈⁉❓❔'
/** What may be around a question mark: other marks, and the selector of an emoji. */
const OTHER_MARKS = '!.…,;:)]\ufe0f'

/** The words without question marks at their end, and before a flag. Undefined if there are none. A word in quotes is never asked. */
export function withoutQuestion(words: readonly Word[]): readonly Word[] | undefined {
  let isAsked = false
  let isEnd = true
  const kept = words.toReversed().flatMap((word) => {
    const isOpen = isEnd && !word.isQuoted
    const { rest, isAsked: asks } = isOpen ? stripMarks(word.text) : { rest: word.text, isAsked: false }
    isAsked ||= asks
    // A mark may be a word of its own.
    isEnd = (isOpen && rest === '') || matchFlag(word) !== undefined
    return isOpen && rest === '' ? [] : [{ ...word, text: rest }]
  })
  return isAsked ? kept.toReversed() : undefined
}

export const isQuestion = (words: readonly Word[]): boolean => withoutQuestion(words) !== undefined

/** Not a regular expression, which would take long for a long run of marks. */
export function stripMarks(text: string): { rest: string; isAsked: boolean } {
  const characters = [...text]
  let isAsked = false
  while (characters.length > 0 && (QUESTION_MARKS + OTHER_MARKS).includes(characters.at(-1) ?? ''))
    isAsked = QUESTION_MARKS.includes(characters.pop() ?? '') || isAsked
  return { rest: characters.join(''), isAsked }
}
