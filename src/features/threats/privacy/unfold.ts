import { domainToUnicode } from 'node:url'

/** A text after decoding, and for each of its units the place in the original text that it came from. */
interface Decoded {
  text: string
  starts: readonly number[]
  ends: readonly number[]
}

/** The letters and digits of a text, in lower case and without accents, each with its place in the text. */
export interface Unfolded {
  letters: string
  /** Where in the text the letter at the same index begins, and where it ends. */
  starts: readonly number[]
  ends: readonly number[]
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
  let so = asWritten(text)
  for (let layer = 0; layer < LAYERS && isEncoded(so.text); layer += 1) {
    so = replaced(so, BYTES, ([bytes = '']) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
    so = replaced(so, ENTITY, entityOf)
    so = replaced(so, ESCAPE, ([, long, short, byte]) => signOf(long ?? short ?? byte, 16))
    so = replaced(so, PUNYCODE, ([label = '']) => domainToUnicode(label) || label)
  }
  return folded(so)
}

function asWritten(text: string): Decoded {
  const starts: number[] = []
  const ends: number[] = []
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + lengthAt(text, start)
    for (let unit = start; unit < end; unit += 1) {
      starts.push(start)
      ends.push(end)
    }
  }
  return { text, starts, ends }
}

const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

function signOf(digits: string | undefined, base: number): string {
  const point = Number.parseInt(digits ?? '', base)
  return point <= 0x10ffff ? String.fromCodePoint(point) : ''
}

function entityOf([whole = '', decimal, hex, name]: RegExpExecArray): string {
  if (decimal) return signOf(decimal, 10)
  return hex ? signOf(hex, 16) : (NAMED.get(name?.toLowerCase() ?? '') ?? whole)
}

/** Replaces each match by the characters that it encodes; each of them has the place of the whole match. */
function replaced(from: Decoded, pattern: RegExp, by: (found: RegExpExecArray) => string): Decoded {
  let text = ''
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  const keepUntil = (until: number): void => {
    text += from.text.slice(at, until)
    for (; at < until; at += 1) {
      starts.push(from.starts[at] ?? 0)
      ends.push(from.ends[at] ?? 0)
    }
  }
  for (const found of from.text.matchAll(pattern)) {
    keepUntil(found.index)
    at += found[0].length
    const signs = by(found)
    text += signs
    for (let unit = 0; unit < signs.length; unit += 1) {
      starts.push(from.starts[found.index] ?? 0)
      ends.push(from.ends[at - 1] ?? 0)
    }
  }
  if (at === 0) return from
  keepUntil(from.text.length)
  return { text, starts, ends }
}

const LETTER = /[\p{L}\p{N}]/u
const ASCII = 128

function folded({ text, starts, ends }: Decoded): Unfolded {
  let letters = ''
  const unfolded = { starts: [] as number[], ends: [] as number[], begins: [] as boolean[] }
  let isBehind = false
  const add = (letter: string, from: number, to: number): void => {
    for (let unit = 0; unit < letter.length; unit += 1) {
      unfolded.begins.push(!isBehind && unit === 0)
      unfolded.starts.push(starts[from] ?? 0)
      unfolded.ends.push(ends[to - 1] ?? 0)
    }
    letters += letter
    isBehind = true
  }
  for (let at = 0, next = 0; at < text.length; at = next) {
    next = at + lengthAt(text, at)
    if (text.charCodeAt(at) < ASCII) {
      const letter = ASCII_LETTERS[text.charCodeAt(at)] ?? ''
      if (letter) add(letter, at, next)
      else isBehind = false
      continue
    }
    // Twice: the lower case of a letter may be a letter and a mark.
    const parts = text.slice(at, next).normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll('ς', 'σ')
    let isWord = false
    for (const part of parts) {
      if (LETTER.test(part)) add(part, at, next)
      isWord ||= /[\p{L}\p{N}\p{M}\p{Cf}]/u.test(part)
    }
    isBehind = isWord && isBehind
  }
  return { letters, ...unfolded }
}

/** The lower case of each letter and digit of ASCII by its code; nothing for what is none. */
const ASCII_LETTERS = Array.from({ length: ASCII }, (_, code) =>
  String.fromCharCode(code)
    .toLowerCase()
    .replace(/[^a-z0-9]/, ''),
)
