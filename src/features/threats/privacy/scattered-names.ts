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

/**
 * Finds where two words of a name stand together, in any order, although the text has other middle names, fewer of them or
 * initials: `Jane M. Roe` and `J. M. Roe` for Jane Marie Roe, `José García` for José Ángel García López.
 */
export function scatteredPlaces(
  text: string,
  unfolded: Unfolded,
  tokens: readonly string[],
): { start: number; end: number }[] {
  const { places } = unfolded
  const own = new Set(tokens.filter((token) => token.length > 1 && !PARTICLES.has(token)))
  if (own.size < 2) return []
  const isInitial = (letters: string) =>
    letters.length === 1 && [...own].some((token) => token.startsWith(letters))
  const words = wordsOf(unfolded)
  return words.flatMap((word, index) => {
    if (!own.has(word.letters) && !isInitial(word.letters)) return []
    const behind = words.slice(index + 1, index + 2 + MOST_BETWEEN)
    // A name ends where a word stands that is part of none.
    const end = behind.findIndex(
      ({ from, letters }) => !own.has(letters) && !isOfName(letters) && !isCapital(text, places[from]),
    )
    return behind
      .slice(0, end === -1 ? undefined : end)
      .filter((later) => isPair(word.letters, later.letters, own))
      .map((later) => ({ start: places[word.from]?.start ?? 0, end: places[later.to - 1]?.end ?? 0 }))
  })
}

function wordsOf({ letters, begins }: Unfolded): Word[] {
  const starts = begins.flatMap((isFirst, index) => (isFirst ? [index] : []))
  return starts.map((from, index) => {
    const to = starts[index + 1] ?? letters.length
    // A number behind a name does not belong to it.
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
function isCapital(text: string, place: { start: number } | undefined): boolean {
  const sign = String.fromCodePoint(text.codePointAt(place?.start ?? 0) ?? 0)
  return sign === sign.toUpperCase()
}
