/** Removes the token from a text of the service, which may have echoed it. */
export type Redact = (text: string) => string

/** Shorter tokens aren't redacted: no real token is that short, and it could match ordinary words. */
const MIN_LENGTH = 8
const PLACEHOLDER = '[token]'

/** Creates the function that removes a token, also as it's written in JSON and in a URL. */
export function createRedactor(token: string): Redact {
  if (token.length < MIN_LENGTH) return (text) => text
  const written = [...new Set([token, encodeURIComponent(token)])]
  // Made for the first text that needs it, because that takes longer than most requests do.
  let escaped: RegExp | undefined
  const matcher = (): RegExp => (escaped ??= new RegExp(Array.from(token, matchEscaped).join(''), 'g'))
  return (text) => {
    const rest = text.includes('\\') ? text.replace(matcher(), PLACEHOLDER) : text
    return written.reduce((redacted, form) => redacted.replaceAll(form, PLACEHOLDER), rest)
  }
}

/** Matches a character as it is, or as JSON may have it: many encoders escape slashes, plus signs, or ampersands. */
function matchEscaped(character: string): string {
  const plain = RegExp.escape(character)
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
  return `(?:${plain}|\\\\${plain}|\\\\u${hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`
}
