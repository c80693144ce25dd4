import { FLAG, lineOf, quoted, type Word } from '../../domain/quoting.ts'

/**
 * From what people type in place of a verb to the lines that it may mean. A phrase is of plain words, `a|b` for one or the other, `a?` for one that may be missing, and
 * of places: `NAME` for some words, `N` for a number, `SECONDS`, `MINUTES`, `ADDRESS` and `TO` for mail addresses, `GROUP`, `DOMAIN`, `REST` for what
 * may follow, `…` for what may follow and does not count. A single word takes what follows along. The lines of the empty phrase help
 * where nothing else does.
 */
export type Phrases = Readonly<Record<string, string | readonly string[]>>

/** Words between the others that change nothing. */
const FILLERS = new Set(
  'a about all an and any are at be been by can did do does everywhere for from get gets getting go goes got had has have i if in is it me my now of on or our please should since still that the them there this to us was we were when whether which will with would you your'.split(
    ' ',
  ),
)
/** A phrase is no essay. */
const MOST_WORDS = 24

const PLACES: Readonly<Record<string, RegExp>> = {
  N: /^#?\d{1,9}$/,
  SECONDS: /^\d{1,5}(?:s|secs?|seconds?)?$/i,
  MINUTES: /^\d{1,4}(?:m|mins?|minutes?)?$/i,
  GROUP: /^@?\p{L}[\p{L}\p{N}._-]*$/u,
  ADDRESS: /^[^@\s]+@[^@\s]+$/,
  TO: /^[^@\s]+@[^@\s]+$/,
  DOMAIN: /^(?:[\p{L}\p{N}*_-]+\.)+[\p{L}\p{N}-]{2,}$/u,
}
const UNITS: Readonly<Record<string, RegExp>> = {
  SECONDS: /^(?:s|secs?|seconds?)$/i,
  MINUTES: /^(?:m|mins?|minutes?)$/i,
}

const QUESTION =
  /^(?:did|is|are|was|were|who|whose|what|when|where|why|how|which|does|do|has|have|any|anything|anybody|anyone)$/i

/** Whether words ask for something, rather than for something to be done. */
export const isQuestion = (words: readonly Word[]): boolean =>
  beginsQuestion(words[0]) || Boolean(words.at(-1)?.text.endsWith('?'))

/** A word that begins a question is no mistyped verb. */
export const beginsQuestion = (word: Word | undefined): boolean =>
  word !== undefined && !word.isQuoted && QUESTION.test(word.text)

/** The words in the places of a phrase, and how much of it was said: a word that is named says more than a place that any fills. */
interface Fitted {
  places: Readonly<Record<string, readonly Word[]>>
  said: number
}

const isFiller = ({ text, isQuoted }: Word): boolean => !isQuoted && FILLERS.has(text.toLowerCase())

/** How the words fill the places of a phrase; undefined where they do not fit it. */
function match(phrase: readonly string[], words: readonly Word[]): Fitted | undefined {
  const [token = '', ...tokens] = phrase
  const [first] = words
  if (token === '') return words.every(isFiller) ? { places: {}, said: 0 } : undefined
  if (token === '…' || token === 'REST') return { places: { REST: words }, said: 0 }
  if (token.endsWith('?')) return better(match([token.slice(0, -1), ...tokens], words), match(tokens, words))
  if (!first) return undefined
  const skipped = isFiller(first) ? match(phrase, words.slice(1)) : undefined
  if (token === 'NAME') return skipped ?? fitName(tokens, words)
  // Nearly every word may be called so.
  if (token === 'GROUP' && skipped) return skipped
  return isAt(token, first) ? (fitRest(token, tokens, words) ?? skipped) : skipped
}

const better = (one?: Fitted, other?: Fitted) =>
  (one?.said ?? 0) >= (other?.said ?? 0) ? (one ?? other) : other

const isAt = (token: string, { text, isQuoted }: Word): boolean =>
  PLACES[token]?.test(text) ?? (!isQuoted && token.split('|').includes(text.toLowerCase()))

function fitRest(token: string, tokens: readonly string[], words: readonly Word[]): Fitted | undefined {
  const isUnit = UNITS[token]?.test(words[1]?.text ?? '') === true
  const more = match(tokens, words.slice(isUnit ? 2 : 1))
  return more && filling(more, token, words.slice(0, 1), PLACES[token] ? 1 : 2)
}

const filling = ({ places, said }: Fitted, token: string, words: readonly Word[], says = 1): Fitted => ({
  places: { ...places, [token]: words },
  said: said + says,
})

/** As few words as leave the rest of the phrase its own. */
function fitName(tokens: readonly string[], words: readonly Word[]): Fitted | undefined {
  for (let count = 1; count <= words.length; count += 1) {
    if (FLAG.test(words[count - 1]?.text ?? '')) return undefined
    const more = match(tokens, words.slice(count))
    const name = words.slice(0, count)
    if (more && !name.every(isFiller)) return filling(more, 'NAME', name)
  }
  return undefined
}

const filled = (line: string, { places }: Fitted): string =>
  line
    .replace(/ ?\b(?:NAME|N|SECONDS|MINUTES|ADDRESS|TO|GROUP|DOMAIN|REST)\b/g, (found) => {
      const place = found.trim()
      const words = places[place] ?? []
      return words.length === 0 ? '' : `${found.slice(0, -place.length)}${asTyped(place, words)}`
    })
    .trim()

/** A group and minutes stand in the quotes of a flag's value: nothing in them needs any. */
function asTyped(place: string, words: readonly Word[]): string {
  const whole = words.map(({ text }) => text).join(' ')
  if (place === 'REST') return lineOf(words)
  if (place === 'GROUP') return `@${whole.replace(/^@/, '')}`
  if (place === 'MINUTES') return `${Number.parseInt(whole, 10)}m`
  return place === 'N' || place === 'SECONDS' ? whole.replace(/\D/g, '') : quoted(whole)
}

/** The lines that some words may mean, by the phrase that says most; undefined where no phrase fits them. Of no words: what helps then. */
export type MeantBy = (words: readonly Word[]) => readonly string[] | undefined

/** The phrases taken apart once, so that a line is only held against those that may begin as it does. */
export function createMeantBy(phrases: Phrases): MeantBy {
  const table = Object.entries(phrases)
    .filter(([phrase]) => phrase !== '')
    .map(([phrase, meant]) => {
      const isWord = /^[a-z|-]+$/.test(phrase)
      const tokens = isWord ? [phrase, 'REST'] : phrase.split(' ')
      const lines = [meant].flat().map((line) => (isWord ? `${line} REST` : line))
      return { tokens, lines, begins: beginsOf(tokens) }
    })
  const otherwise = [phrases[''] ?? []].flat()

  function meantBy(words: readonly Word[]): readonly string[] {
    const asked = words
      .map((word) => (word.isQuoted ? word : { ...word, text: word.text.replace(/[?!.,]+$/, '') }))
      .filter(({ text }) => text !== '')
    const first = beginningOf(asked)
    let best: { said: number; lines: readonly string[] } = { said: 0, lines: [] }
    for (const { tokens, lines, begins } of table) {
      const fitted = !begins || first.some((word) => begins.has(word)) ? match(tokens, asked) : undefined
      if (fitted && fitted.said > best.said)
        best = { said: fitted.said, lines: lines.map((line) => filled(line, fitted)) }
    }
    return best.lines
  }

  return (words) => {
    if (words.length > MOST_WORDS) return undefined
    const lines = words.length === 0 ? otherwise : meantBy(words)
    return lines.length > 0 ? lines : undefined
  }
}

/** The words of a line up to the first that counts. */
function beginningOf(words: readonly Word[]): string[] {
  const counts = words.findIndex((word) => !isFiller(word))
  return words.slice(0, counts < 0 ? undefined : counts + 1).map(({ text }) => text.toLowerCase())
}

/** The words with which such a phrase begins, behind fillers; undefined where it may begin with any. */
const beginsOf = ([first = '']: readonly string[]): ReadonlySet<string> | undefined =>
  /^[a-z|-]+$/.test(first) ? new Set(first.split('|')) : undefined
