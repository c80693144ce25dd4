import { domainToUnicode } from 'node:url'

/** A character of a text after decoding, and the place in the text that it came from. */
interface Sign {
  sign: string
  start: number
  end: number
}

/** The letters and digits of a text, in lower case and without accents, each with its place in the text. */
export interface Unfolded {
  letters: string
  /** The place in the text of the letter at the same index. */
  places: readonly { start: number; end: number }[]
  /** True when the letter begins a word. */
  begins: readonly boolean[]
}

/** An encoding may hide in another: `%2540` is `%40` is `@`. */
const LAYERS = 3
const ENCODED = /%[0-9a-f]{2}|&(?:#\d|#x[0-9a-f]|[a-z])|\\[ux]\{?[0-9a-f]{2}|xn--/i
const BYTES = /(?:%[0-9a-f]{2})+/gi
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi
const ESCAPE = /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi
const PUNYCODE = /xn--[a-z0-9-]{1,59}/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ['commat', '@'],
  ['period', '.'],
  ['nbsp', ' '],
  ['amp', '&'],
  ['lowbar', '_'],
  ['plus', '+'],
  ['percnt', '%'],
  ['num', '#'],
  ['semi', ';'],
  ['hyphen', '-'],
])

/** The letters of a text without encodings and without places: much quicker, and enough to see that there is no find. */
export const lettersOf = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  /^[\u0000-\u007f]*$/.test(text)
    ? text.toLowerCase().replace(/[^a-z0-9]+/g, '')
    : text
        .normalize('NFKD')
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]+/gu, '')
        .replaceAll('ς', 'σ')

export const isEncoded = (text: string): boolean => ENCODED.test(text)

/** Undoes percent-encoding, entities, escapes and punycode, also within one another, and folds the result. */
export function unfold(text: string): Unfolded {
  let signs = [...text].reduce<Sign[]>((all, sign) => {
    const start = all.at(-1)?.end ?? 0
    all.push({ sign, start, end: start + sign.length })
    return all
  }, [])
  for (let layer = 0; layer < LAYERS && isEncoded(joined(signs)); layer += 1) {
    signs = replaced(signs, BYTES, ([bytes = '']) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
    signs = replaced(signs, ENTITY, entityOf)
    signs = replaced(signs, ESCAPE, ([, long, short, byte]) => signOf(long ?? short ?? byte, 16))
    signs = replaced(signs, PUNYCODE, ([label = '']) => domainToUnicode(label) || label)
  }
  return folded(signs)
}

const joined = (signs: readonly Sign[]): string => signs.map(({ sign }) => sign).join('')

function signOf(digits: string | undefined, base: number): string {
  const point = Number.parseInt(digits ?? '', base)
  return point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

function entityOf([whole = '', decimal, hex, name]: RegExpExecArray): string {
  if (decimal) return signOf(decimal, 10)
  return hex ? signOf(hex, 16) : (NAMED.get(name?.toLowerCase() ?? '') ?? whole)
}

/** Replaces each match by the characters that it encodes; each of them has the place of the whole match. */
function replaced(signs: readonly Sign[], pattern: RegExp, by: (found: RegExpExecArray) => string): Sign[] {
  const text = joined(signs)
  const next: Sign[] = []
  let at = 0
  let offset = 0
  const take = (until: number, keep: boolean): Sign[] => {
    const taken: Sign[] = []
    for (let sign = signs[at]; sign && offset < until; sign = signs[at]) {
      taken.push(sign)
      offset += sign.sign.length
      at += 1
    }
    if (keep) next.push(...taken)
    return taken
  }
  for (const found of text.matchAll(pattern)) {
    take(found.index, true)
    const taken = take(found.index + found[0].length, false)
    const start = taken[0]?.start ?? 0
    const end = taken.at(-1)?.end ?? start
    for (const sign of by(found)) next.push({ sign, start, end })
  }
  take(text.length, true)
  return next
}

const LETTER = /[\p{L}\p{N}]/u

function folded(signs: readonly Sign[]): Unfolded {
  const letters: string[] = []
  const places: Unfolded['places'][number][] = []
  const begins: boolean[] = []
  let isBehind = false
  for (const { sign, start, end } of signs) {
    // Twice: the lower case of a letter may be a letter and a mark.
    const parts = sign.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll('ς', 'σ')
    let isWord = false
    for (const part of parts) {
      if (!LETTER.test(part)) {
        isWord ||= /\p{M}|\p{Cf}/u.test(part)
        continue
      }
      for (let unit = 0; unit < part.length; unit += 1) {
        begins.push(!isBehind && unit === 0)
        places.push({ start, end })
      }
      letters.push(part)
      isBehind = true
      isWord = true
    }
    isBehind = isWord && isBehind
  }
  return { letters: letters.join(''), places, begins }
}
