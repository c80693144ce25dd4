import { joinWords, type Word, writeTyped } from '../../domain/quoting.ts'
import { matchFlag } from '../grammar/flags.ts'
import type { Verb } from './routes.ts'

const MAX_SENTENCE = 200

/** Moves a leading `--env X` to the end, so that the verb comes first. */
export function moveEnvironment(words: readonly Word[]): readonly Word[] {
  const [first, second] = words
  const flag = first && matchFlag(first)
  if (!first || flag?.name !== 'env') return words
  const count = flag.value === undefined && second ? 2 : 1
  return [...words.slice(count), ...words.slice(0, count)]
}

/** The words without flags, as text. Undefined if they are too many for a sentence. */
export function writePlain(words: readonly Word[]): { text: string; flags: Word[] } | undefined {
  const { plain, flags } = splitFlags(words)
  const text = plain.map((word) => (word.isQuoted ? joinWords([word]) : word.text)).join(' ')
  return text.length > MAX_SENTENCE ? undefined : { text, flags }
}

/** Separates the flags that every verb accepts from the other words, so that a sentence keeps them. */
export function splitFlags(words: readonly Word[]): { plain: Word[]; flags: Word[] } {
  const plain: Word[] = []
  const flags: Word[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (!word) continue
    const flag = matchFlag(word)
    if (!flag) {
      plain.push(word)
      continue
    }
    flags.push(word)
    const next = words[index + 1]
    const takesValue =
      flag.value === undefined && !['share', 'yes', 'me', 'mine', 'all', 'details'].includes(flag.name)
    if (takesValue && next && !matchFlag(next)) {
      flags.push(next)
      index += 1
    }
  }
  return { plain, flags }
}

/** Whether a verb takes free text. */
export const hasProse = ({ slots = [] }: Pick<Verb, 'slots'>): boolean => slots.some(({ isProse }) => isProse)

/** The words of a verb, so that they can be typed again. Quotes would become part of free text, so it has only those that were typed. */
export const writeWords = (verb: Pick<Verb, 'slots'> | undefined, words: readonly Word[]): string =>
  verb && hasProse(verb) ? writeTyped(words) : joinWords(words)
