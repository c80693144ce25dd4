import { unquote, type Word } from '../../domain/quoting.ts'
import { cleanTyped, withoutFinalPunctuation } from '../../domain/typed-text/clean.ts'

// `"a","b"` has three words, as with spaces.
const TOKEN =
  /(?<=")[,;](?=")|`[^`]*`(?=\s|$)|(?:[^\s"'][^\s"]*)?"[^"\\]*(?:\\.?[^"\\]*)*"?|'[^']*'(?=\s|$)|[^\s"]+/g

/**
 * Splits a line that the app wrote, or text that is clean, into words. Quotes group words. Within double quotes, `\"`, `\\` and `\u{201c}` are escapes for characters that can't be typed there otherwise (see `quoted`).
 */
export function splitWords(text: string): Word[] {
  let end = 0
  return [...text.matchAll(TOKEN)].map(({ 0: token, index }) => {
    const isGlued = index > 0 && index === end
    end = index + token.length
    return { ...readWord(token), ...(isGlued && { isGlued }) }
  })
}

function readWord(token: string): Word {
  if (token[0] === '`' && /^`[^`]+`$/.test(token))
    return { text: token.slice(1, -1).trim(), isQuoted: /\S\s+\S/.test(token), typed: token }
  if (token[0] === "'" && /^'.*'$/.test(token))
    return { text: token.slice(1, -1), isQuoted: true, typed: token }
  const quoteStart = token.indexOf('"')
  if (quoteStart < 0) return { text: token, isQuoted: false }
  return {
    text: token.slice(0, quoteStart) + unquote(token.slice(quoteStart)),
    isQuoted: quoteStart === 0,
    typed: token,
  }
}

const COURTESY = /^(?:please|pls|plz|thanks|thx|thanx|ty|tia|cheers|kindly|asap)[.,!?]*$/i
const THANKS = [/^thank$/i, /^you[.,!]*$/i] as const
/** A whole line as code: people copy it with its marks. */
const CODE = /^(`{1,3})([^`]+)\1$/
const ONLY_PUNCTUATION = /^[.!?,;…]+$/

/**
 * The words of a line that a person typed, without what Slack and keyboards add, a final full stop, or `please`. `isWhole` keeps how
 * the line ends.
 */
export function splitTyped(text: string, { isWhole = false } = {}): Word[] {
  const clean = cleanTyped(text)
  const words = splitWords(CODE.exec(clean)?.[2] ?? clean)
  const isCourtesy = (word: Word | undefined) => word && !word.isQuoted && COURTESY.test(word.text)
  while (isCourtesy(words[0])) words.shift()
  if (isWhole) return words
  // `“Bank API”.`
  if (words.at(-2)?.isQuoted && ONLY_PUNCTUATION.test(words.at(-1)?.text ?? '')) words.pop()
  if (words.length > 2 && THANKS.every((word, index) => word.test(words.at(index - 2)?.text ?? '')))
    words.splice(-2)
  while (isCourtesy(words.at(-1))) words.pop()
  const last = words.at(-1)
  if (!last || last.isQuoted) return words
  return [...words.slice(0, -1), { ...last, text: withoutFinalPunctuation(last.text) }]
}
