/** One typed word. A quoted word is never a flag. */
export interface Word {
  text: string
  isQuoted: boolean
  /** With its quotes, if it has any. */
  typed?: string
  /** True if no space is before it: the `!` of `"no"!`. */
  isGlued?: true
}

/** Words that need no quotes in any client or parser. */
const BARE = /^(?:-|[\p{L}\p{N}_*.:/@#,=+%][\p{L}\p{N}_*.:/@#,=+%-]*)$/u
const ESCAPE = /\\(["\\])|\\u\{([0-9a-f]{1,6})\}|"/gi
const MAX_CODE_POINT = 0x10ffff

/**
 * Quotes a word so that `splitWords` returns it unchanged and never parses part of it as a flag. Writes characters that Slack or
 * the parser may change (quotation marks, dashes, spaces of all kinds, `<`, `&`) as their code points.
 */
export function quoted(word: string): string {
  return BARE.test(word) ? word : `"${escapeText(word)}"`
}

/**
 * Writes the name of something in a line. It's always quoted, because a bare name such as `down` or `2h` would be read as a status
 * or a duration.
 */
export const quotedName = (name: string): string => `"${escapeText(name)}"`

/** Writes a pattern in a line. Its words aren't quoted if possible, because quoted words are read as the name of one check. */
export const writePattern = (pattern: string): string =>
  pattern.split(' ').every((word) => BARE.test(word)) ? pattern : quotedName(pattern)

/** Writes the name or pattern by which a line filters. Unlike `writePattern`, keeps a pattern of several words together. */
export const writeFilterName = (name: string): string =>
  name.includes('*') ? quoted(name) : quotedName(name)

/** Joins words into a line that `splitWords` splits into the same words: those that were typed, as they were typed. */
export const joinWords = (words: readonly Word[]): string =>
  words
    .map(({ text, isQuoted, typed = isQuoted ? quotedName(text) : text, isGlued }, index) =>
      index === 0 || isGlued ? typed : ` ${typed}`,
    )
    .join('')

function escapeText(word: string): string {
  return word
    .replace(/["\\]/g, '\\$&')
    .replace(
      /(?<= ) |[^\p{L}\p{N}\x20-\x7e]|[<>&]/gu,
      (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    )
}

/** Removes the double quotes around a text and resolves its escapes. */
function unquote(quotedText: string): string {
  // Quotes can be as many as a message has characters, and hardly any text has escapes.
  if (!quotedText.includes('\\')) return quotedText.replaceAll('"', '')
  return quotedText.replace(ESCAPE, (all, character: string | undefined, code: string | undefined) => {
    if (character) return character
    const point = Number.parseInt(code ?? '', 16)
    if (Number.isNaN(point)) return ''
    return point > MAX_CODE_POINT ? all : String.fromCodePoint(point)
  })
}

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
