import type { Word } from '../../domain/quoting.ts'

const QUESTION_MARKS = '?？؟⁇⁈⁉❓❔'
export const QUESTION_MARK = new RegExp(`[${QUESTION_MARKS}]`)
/** What may be around a question mark: other marks, and the selector of an emoji. */
const OTHER_MARKS = '!.…,;:)]\ufe0f'

/** The words without a question mark at their end. Undefined if there is none. A word in quotes is never asked. */
export function beforeQuestion(words: readonly Word[]): readonly Word[] | undefined {
  let isAsked = false
  let rest = ''
  let end = words.length
  // A mark may be a word of its own.
  for (; end > 0 && rest === ''; end -= 1) {
    const last = words[end - 1]
    if (!last || last.isQuoted) break
    const stripped = stripMarks(last.text)
    rest = stripped.rest
    isAsked ||= stripped.isAsked
  }
  if (!isAsked) return undefined
  return rest === '' ? words.slice(0, end) : [...words.slice(0, end), { text: rest, isQuoted: false }]
}

/** Not a regular expression, which would take long for a long run of marks. */
export function stripMarks(text: string): { rest: string; isAsked: boolean } {
  const characters = [...text]
  let isAsked = false
  while (characters.length > 0 && (QUESTION_MARKS + OTHER_MARKS).includes(characters.at(-1) ?? ''))
    isAsked = QUESTION_MARKS.includes(characters.pop() ?? '') || isAsked
  return { rest: characters.join(''), isAsked }
}
