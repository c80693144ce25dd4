/** Removes the token from a text of the service, which may have echoed it. */
export type Redact = (text: string) => string

/** Shorter tokens aren't redacted: no real token is that short, and it could match ordinary words. */
const MIN_LENGTH = 8
const PLACEHOLDER = '[token]'

/** Creates the function that removes a token, also as it's written in JSON and in a URL. */
export function createRedactor(token: string): Redact {
  if (token.length < MIN_LENGTH) return (text) => text
  const forms = [...new Set([token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)])]
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}
