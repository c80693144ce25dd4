/** Removes the token from a text that came from the service, which may have echoed it. */
export type Redact = (text: string) => string

/** Shorter tokens aren't redacted: no real token is that short, and it could match ordinary words. */
const MIN_LENGTH = 8
const PLACEHOLDER = '[token]'

/** Creates the function that removes a token, also as it's written in JSON and in a URL. */
export function createRedactor(token: string): Redact {
  if (token.length < MIN_LENGTH) return (text) => text
  const forms = [...new Set([token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)])]
  return (text) =>
    text.length < token.length ? text : forms.reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}

/** Removes the token from every text in a value that was decoded from this JSON, in place. */
export function redactToken<T>(value: T, json: string, redact: Redact): T {
  // Walking a page of 500 checks takes longer than parsing it. If the JSON has no escapes, searching the JSON itself is enough.
  return json.includes('\\') || redact(json) !== json ? redactTexts(value, redact) : value
}

function redactTexts<T>(value: T, redact: Redact): T {
  // The replacement is a text too, so T stays the same.
  if (typeof value === 'string') return redact(value) as T
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  // Any other value is a plain object or a list.
  const parts = value as Record<string, unknown>
  for (const key of Object.keys(parts)) parts[key] = redactTexts(parts[key], redact)
  return value
}
