/** One typed word. A quoted word is never a flag. */
export interface Word {
  text: string
  isQuoted: boolean
}

/** `--name` or `--name=value`, with one dash or two. */
export const FLAG = /^--?([\p{L}][\p{L}-]*)(?:=(.*))?$/su

/** Words that need no quotes, whatever client or parser reads the line. */
const BARE = /^[A-Za-z0-9_*.:/@,=+%][A-Za-z0-9_*.:/@,=+%-]*$/
const ESCAPE = /\\(["\\])|\\u\{([0-9a-f]{1,6})\}|"/gi
const MOST = 0x10ffff

/**
 * A word as it is typed, so that `splitWords` reads back exactly this one and nothing of it as a flag. Signs that Slack or the
 * parser may read as others (quotation marks, dashes, spaces of all kinds, `<`, `&`) are named by their number.
 */
export function quoted(word: string): string {
  return BARE.test(word) ? word : `"${escaped(word)}"`
}

/** Joins words into a line that parses back into exactly these. */
export function joinWords(words: readonly Word[]): string {
  return words.map(typedWord).join(' ')
}

function typedWord({ text, isQuoted }: Word): string {
  const [, name, value] = (!isQuoted && FLAG.exec(text)) || []
  if (name === undefined) return quoted(text)
  return value === undefined ? `--${name}` : `--${name}=${quoted(value)}`
}

function escaped(word: string): string {
  return word
    .replace(/["\\]/g, '\\$&')
    .replace(
      /(?<= ) |[^\p{L}\p{N}\x20-\x7e]|[<>&]/gu,
      (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
    )
}

/** Text in double quotes, without them: a quote or backslash in it needs a backslash. */
export function unescaped(quotedText: string): string {
  return quotedText.replace(ESCAPE, (all, sign: string | undefined, code: string | undefined) => {
    if (sign) return sign
    const point = Number.parseInt(code ?? '', 16)
    if (Number.isNaN(point)) return ''
    return point > MOST ? all : String.fromCodePoint(point)
  })
}
