import { cmd } from '../../domain/command-names.ts'
import { areSwapped, closestWords, rateTypo } from '../../domain/mistyped-word.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import { Refused } from '../grammar/refused.ts'
import { readWord } from '../grammar/slots.ts'
import { TWO_MEANINGS } from '../grammar/unnamed-verbs.ts'
import { type RouteTable, verbName } from './routes.ts'

/** Short words are close to many others: `end` is one letter from `env`. */
const LETTERS_PER_TYPO = 4
const MAX_MEANT = 2

/** The lines of the verbs that were probably mistyped in the first of these words, likeliest first, and how likely that is. */
export function findTypos(
  { findWords }: Pick<RouteTable, 'findWords'>,
  command: string,
  [word, ...others]: readonly Word[],
): { lines: readonly string[]; rating: ReturnType<typeof rateTypo> } {
  if (!word || word.isQuoted) return { lines: [], rating: 'hardly' }
  const known = findWords(command)
  const names = [...known].flatMap(([name, { hidden }]) => (hidden || name.includes(' ') ? [] : [name]))
  const close = closestWords(word.text, names, { lettersPerTypo: LETTERS_PER_TYPO })
  // Short verbs are close to many words, but `aks` is only `ask`.
  if (close.length === 0)
    close.push(...names.filter((name) => name.length > 2 && areSwapped(word.text, name)))
  const rating = close[0] === undefined ? 'hardly' : rateTypo(word.text, close[0])
  const lineOf = (name: string): string => {
    const verb = known.get(name)
    if (verb && verb.verb !== '') return verbName(verb)
    // The bare command takes no words: in `helth Shop`, another verb is meant.
    return (others.length > 0 && verb?.elsewhere?.name) || `/${command} ${name}`
  }
  const lines = rating === 'hardly' ? [] : close.map(lineOf)
  return { lines: [...new Set(lines)].slice(0, MAX_MEANT), rating }
}

/** Throws Refused for a word that can mean two verbs, unless more words name a verb. It may also follow an ID. */
export function refuseTwoMeanings(command: string, words: readonly Word[], count: number): void {
  const [first] = words
  const isAfterId = first !== undefined && readWord({ kind: 'event' }, first) !== undefined
  const [from, lengths] = isAfterId ? [1, [words.length - 1]] : [0, [2, 1]]
  for (const length of lengths) {
    const named = words.slice(from, from + length)
    const typed = named.map(({ text }) => text.toLowerCase()).join(' ')
    const meant = TWO_MEANINGS[command]?.[typed]
    if (!meant || named.length < length || length <= count || named.some(({ isQuoted }) => isQuoted)) continue
    const others = joinWords(words.filter((word) => !named.includes(word)))
    throw new Refused(
      `“${typed}” can mean ${meant.map((line) => cmd(line)).join(' or ')}.`,
      meant.map((line) => `${line} ${others}`.trim()),
    )
  }
}
