import { joinWords, type Word } from '../../domain/quoting.ts'
import type { WordRules } from './flags.ts'
import type { Parameter } from './parameters.ts'
import { replaceWords } from './replace-words.ts'

/** A name that the words of a line could be, and the line with it in quotes. */
export interface OtherName {
  readonly name: string
  readonly line: string
}

/** No name of a health check has more words. */
const MAX_NAMES = 12

/**
 * The names that the words of a line could also be, where something else was read: `all`, `shop*`, the `shop` of `*shop*`, or a name with
 * what comes before or after it. A word in quotes is a name already, so then there are none.
 */
export function findOtherNames(
  { line, parameters }: WordRules,
  {
    typed,
    words,
    left,
  }: { readonly typed: readonly Word[]; readonly words: readonly Word[]; readonly left: readonly Word[] },
  taken: ReadonlyMap<Parameter, readonly string[]>,
): readonly OtherName[] {
  if (!parameters.some(({ kind, group }) => kind === 'name' && group !== undefined)) return []
  if (left.some(({ isQuoted }) => isQuoted)) return []
  // Of words that were all read as something else, all together may be one.
  const [first = words[0]] = left
  if (!first) return []
  const isName = [...taken.keys()].some(({ kind }) => kind === 'name')
  const start = words.indexOf(first)
  const end = start + (left.length || words.length)
  const names: OtherName[] = []
  for (let from = start; from >= 0; from -= 1)
    for (let to = end; to <= words.length; to += 1) {
      const run = words.slice(from, to)
      if ((isName && run.length === left.length) || run.some(({ isQuoted }) => isQuoted)) continue
      const name = run.map(({ text }) => text).join(' ')
      names.push({
        name,
        line: `${line} ${joinWords(replaceWords(typed, run, [{ text: name, isQuoted: true }]))}`,
      })
    }
  // A name that was copied from a message is bold, which Slack sends with stars.
  const bold = /^\*([^*]+)\*$/.exec(left.map(({ text }) => text).join(' '))?.[1]
  if (bold)
    names.unshift({
      name: bold,
      line: `${line} ${joinWords(replaceWords(typed, left, [{ text: bold, isQuoted: true }]))}`,
    })
  return names.slice(0, MAX_NAMES)
}
