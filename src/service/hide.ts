import { lruOptions, MINUTE_MS } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'

/** Removes the token from a text of the service, which may have echoed it. */
export type Hide = (text: string) => string

/** Search patterns are kept for this many tokens, each for a minute, because creating them takes longer than searching. */
const KEPT = 1000

export function createHiders(): (token: string) => Hide {
  const kept = new LRUCache<string, Hide>({ ...lruOptions(KEPT), ttl: MINUTE_MS })
  return (token) => {
    const known = kept.get(token)
    if (known) return known
    const hide = createHider(token)
    kept.set(token, hide)
    return hide
  }
}

/** A token shorter than any real one would blank out ordinary words. */
const SHORTEST = 8
const SHOWN = '[token]'

/**
 * Removes the token from texts of the service, which may have echoed it: plain, in JSON, in a URL, in HTML, in base64 at
 * each of the three possible offsets, and in hex.
 */
export function createHider(token: string): Hide {
  const { length } = token
  if (length < SHORTEST) return (text) => text
  // Every form is at least as long as the token, except base64, whose first and last characters aren't searched for.
  const shortest = Math.max(SHORTEST, Math.min(length, 4 * Math.ceil(length / 3) - 8))
  let hide: Hide | undefined
  // Nearly all texts of a listing are shorter than any form of a token, and most polls read no texts at all.
  return (text) => {
    if (text.length < shortest) return text
    hide ??= formsHider(token)
    return hide(text)
  }
}

function formsHider(token: string): Hide {
  const forms = [...new Set(listSpellings(token))].filter((form) => form.length >= SHORTEST)
  // Longest first: one form may be part of another.
  const pattern = new RegExp(
    forms
      .toSorted((left, right) => right.length - left.length)
      .map((form) => RegExp.escape(form))
      .join('|'),
    'g',
  )
  return (text) => text.replace(pattern, SHOWN)
}

function listSpellings(token: string): string[] {
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

/** Removes the token from every text of a value decoded from this JSON, in place. */
export function hideToken<T>(value: T, json: string, hide: Hide): T {
  // Walking a page of 500 costs more than parsing it. Without an escape in it, the JSON shows every text as it is.
  return json.includes('\\') || hide(json) !== json ? hideInTexts(value, hide) : value
}

function hideInTexts<T>(value: T, hide: Hide): T {
  // The replacement is a text too, so T stays the same.
  if (typeof value === 'string') return hide(value) as T
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  // Whatever isn't a text or a date is a plain object or a list.
  const parts = value as Record<string, unknown>
  for (const key of Object.keys(parts)) parts[key] = hideInTexts(parts[key], hide)
  return value
}
