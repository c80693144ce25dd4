import { lruOptions, MINUTE_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** Removes the token from a text that came from the service, which may have echoed it. */
export type Redact = (text: string) => string

/** How many search patterns to cache, each for a minute, because creating one takes longer than searching. */
const MAX_CACHED = 1000

export function createRedactorCache(): (token: string) => Redact {
  const cache = new LRUCache<string, Redact>({ ...lruOptions(MAX_CACHED), ttl: MINUTE_MS })
  return (token) => {
    const cached = cache.get(token)
    if (cached) return cached
    const redact = createRedactor(token)
    cache.set(token, redact)
    return redact
  }
}

/** Shorter tokens aren't redacted: no real token is that short, and it could match ordinary words. */
const MIN_LENGTH = 8
const PLACEHOLDER = '[token]'

/**
 * Creates the function that removes a token in every form in which the service may echo it: plain, in JSON, in a URL, in HTML, in
 * hex, and in base64 at each of the three possible offsets.
 */
export function createRedactor(token: string): Redact {
  const { length } = token
  if (length < MIN_LENGTH) return (text) => text
  // Every form is at least as long as the token, except base64, whose first and last characters aren't searched for.
  const minLength = Math.max(MIN_LENGTH, Math.min(length, 4 * Math.ceil(length / 3) - 8))
  let redact: Redact | undefined
  // The pattern is created on demand: nearly all texts of a listing are shorter than any form of a token.
  return (text) => {
    if (text.length < minLength) return text
    redact ??= createPatternRedactor(token)
    return redact(text)
  }
}

function createPatternRedactor(token: string): Redact {
  const forms = [...new Set(listForms(token))].filter((form) => form.length >= MIN_LENGTH)
  // Longest first: one form may be part of another.
  const pattern = new RegExp(
    forms
      .toSorted((left, right) => right.length - left.length)
      .map((form) => RegExp.escape(form))
      .join('|'),
    'g',
  )
  return (text) => text.replace(pattern, PLACEHOLDER)
}

function listForms(token: string): string[] {
  const bytes = Buffer.from(token)
  const base64 = [0, 1, 2].flatMap((offset) => {
    // The first and last characters depend on the neighboring bytes.
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(4, -4)
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const hex = bytes.toString('hex')
  const percent = encodeURIComponent(token)
  const lower = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const html = token
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  const json = JSON.stringify(token).slice(1, -1)
  return [
    token,
    json,
    json.replaceAll('/', String.raw`\/`),
    percent,
    lower,
    html,
    ...base64,
    hex,
    hex.toUpperCase(),
  ]
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
