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
  const isOther = (run: readonly Word[]): boolean =>
    !(isName && run.length === left.length) && !run.some(({ isQuoted }) => isQuoted)
  const toOther = (run: readonly Word[], name: string): OtherName => ({
    name,
    line: `${line} ${joinWords(replaceWords(typed, run, [{ text: name, isQuoted: true }]))}`,
  })
  // What is pasted from a card is bold: `*shop*`, or `**shop**` in Markdown, is a pattern, and may be the name between the asterisks.
  const toBold = (run: readonly Word[]): OtherName[] => {
    const [, name] = /^\*+([^*]+)\*+$/.exec(toText(run)) ?? []
    return name === undefined ? [] : [toOther(run, name)]
  }
  const names = listRuns(words, start, end)
    .filter(isOther)
    .flatMap((run) => [toOther(run, toText(run)), ...toBold(run)])
  // Also in what is left out: `all --not *shop*`.
  const bold = typed.filter(({ isQuoted }) => !isQuoted).flatMap((word) => toBold([word]))
  return [...names.slice(0, MAX_NAMES), ...bold.slice(0, MAX_NAMES)]
}

const toText = (run: readonly Word[]): string => run.map(({ text }) => text).join(' ')

/** The runs that begin at a word or some words before it, and end at a word or some words behind it. */
const listRuns = (words: readonly Word[], start: number, end: number): Word[][] =>
  Array.from({ length: Math.min(start + 1, MAX_NAMES) }, (_, before) =>
    Array.from({ length: Math.min(words.length - end + 1, MAX_NAMES) }, (_, behind) =>
      words.slice(start - before, end + behind),
    ),
  ).flat()
