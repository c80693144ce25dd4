/** Removes the token from a text of the service, which may have echoed it. */
export type Redact = (text: string) => string

/** Shorter tokens aren't redacted: no real token is that short, and it could match ordinary words. */
const MIN_LENGTH = 8
const PLACEHOLDER = '[token]'

/** Creates the function that removes a token, also as it's written in JSON and in a URL. */
export function createRedactor(token: string): Redact {
  if (token.length < MIN_LENGTH) return (text) => text
  const json = JSON.stringify(token).slice(1, -1)
  // Some encoders of JSON escape slashes.
  const forms = [...new Set([token, json, json.replaceAll('/', '\\/'), encodeURIComponent(token)])]
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}
