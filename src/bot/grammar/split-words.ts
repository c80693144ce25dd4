import { unquote, type Word } from '../../domain/quoting.ts'

// `"a","b"` has three words, as with spaces.
const TOKEN =
  /(?<=")[,;](?=")|`[^`]*`(?=\s|$)|(?:[^\s"'][^\s"]*)?"[^"\\]*(?:\\.?[^"\\]*)*"?|'[^']*'(?=\s|$)|[^\s"]+/g

/**
 * Splits a clean line into words. Quotes group words. Within double quotes, `\"`, `\\` and `\u{201c}` are escapes for characters that
 * can't be typed there otherwise (see `quoted`).
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
