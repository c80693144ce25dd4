import type { Unfolded } from './unfold.ts'

/** What holds a name together, and is none: `van`, `de la`, `bin`. */
export const PARTICLES: ReadonlySet<string> = new Set(
  (
    'de del della der den di da do dos das la le les el al bin ibn ben van von zu zur zum und y e i af av ter ten te st san ' +
    'dr prof mr mrs ms herr frau'
  ).split(' '),
)

/** So many words may stand between two of a name: middle names, their initials, particles. */
const MOST_BETWEEN = 4

interface Word {
  readonly from: number
  readonly to: number
  readonly letters: string
}

type Places = { start: number; end: number }[]

/**
 * Finds where two words of a name stand together, in any order, although the text has other middle names, fewer of them or
 * initials: `Jane M. Roe` and `J. M. Roe` for Jane Marie Roe, `José García` for José Ángel García López. Undefined for a name
 * of one word.
 */
export function scatteredName(
  tokens: readonly string[],
): ((text: string, unfolded: Unfolded, words: readonly Word[]) => Places) | undefined {
  const own = new Set(tokens.filter((token) => token.length > 1 && !PARTICLES.has(token)))
  if (own.size < 2) return undefined
  const initials = new Set([...own].map((token) => token.charAt(0)))
  return (text, { starts, ends }, words) =>
    words.flatMap((word, index) => {
      if (!own.has(word.letters) && !initials.has(word.letters)) return []
      const behind = words.slice(index + 1, index + 2 + MOST_BETWEEN)
      // A name ends where a word stands that is part of none.
      const end = behind.findIndex(
        ({ from, letters }) => !own.has(letters) && !isOfName(letters) && !isCapital(text, starts[from] ?? 0),
      )
      return behind
        .slice(0, end === -1 ? undefined : end)
        .filter((later) => isPair(word.letters, later.letters, own))
        .map((later) => ({ start: starts[word.from] ?? 0, end: ends[later.to - 1] ?? 0 }))
    })
}

/** The words of a text, without a number behind them: it belongs to no name. */
export function wordsOf({ letters, begins }: Unfolded): Word[] {
  const starts = begins.flatMap((isFirst, index) => (isFirst ? [index] : []))
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? letters.length
    return { from, to, letters: letters.slice(from, to).replace(/\d+$/, '') }
  })
}

/** Two words of the name, or one of more than two letters and the initial of another. */
function isPair(one: string, other: string, own: ReadonlySet<string>): boolean {
  if (own.has(one) && own.has(other)) return one !== other
  const [word, initial] = own.has(one) ? [one, other] : [other, one]
  if (!own.has(word) || word.length < 3 || initial.length !== 1) return false
  return [...own].some((token) => token !== word && token.startsWith(initial))
}

const isOfName = (word: string): boolean => word.length === 1 || PARTICLES.has(word)

/** A letter that has a capital form, and is one; of scripts without, any. */
function isCapital(text: string, start: number): boolean {
  const sign = String.fromCodePoint(text.codePointAt(start) ?? 0)
  return sign === sign.toUpperCase()
}
