import type { Word } from '../../domain/quoting.ts'

const MARK = '[?？؟⁇⁈⁉❓❔]'
const ASKED = new RegExp(String.raw`[!.…]*${MARK}(?:${MARK}|[!.…)\]]|\ufe0f)*$`, 'u')

/** The words without a question mark at their end. Undefined if there is none. A word in quotes is never asked. */
export function beforeQuestion(words: readonly Word[]): readonly Word[] | undefined {
  const last = words.at(-1)
  if (!last || last.isQuoted || !ASKED.test(last.text)) return undefined
  const text = last.text.replace(ASKED, '')
  return [...words.slice(0, -1), ...(text === '' ? [] : [{ text, isQuoted: false }])]
}
