import { StoreError } from '../database/errors.ts'
import { jsonText } from '../database/json.ts'

const MOST_CHARACTERS = 2000
/** Enough for a list of a few hundred e-mail addresses. */
const MOST_JSON_CHARACTERS = 20_000
const MOST_LEVELS = 32

/** The last word of a key, in camelCase, snake_case or kebab-case, in the singular or the plural. */
const SECRET_KEY = /(?:^|[^a-z]|(?<=[a-z])(?=[A-Z]))(?:token|secret|csr|password)s?$/i

/**
 * A text as both databases give it back: no NUL, no half of a surrogate pair. One of more than 2,000 characters is
 * clipped, with a note of its length.
 */
export function auditText(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd')
  if (clean.length <= MOST_CHARACTERS) return clean
  const half = /[\ud800-\udbff]$/
  return `${clean.slice(0, MOST_CHARACTERS).replace(half, '')}… (clipped: ${clean.length} characters)`
}

/**
 * A value as JSON with sorted keys. Texts in it of more than 2,000 characters are clipped, and so is the whole of more
 * than 20,000: it is a text then. Throws StoreError `bad-value` for what JSON cannot hold, for more than 32 levels,
 * and for a text, number, list or object under a key whose last word is token, secret, csr or password.
 */
export function auditJson(value: unknown): string {
  // Through JSON and back: dates, classes and undefined become plain values.
  const json = JSON.stringify(canonical(JSON.parse(jsonText(value, 'A value in the audit log')), 1))
  return json.length <= MOST_JSON_CHARACTERS ? json : JSON.stringify(auditText(json))
}

function canonical(value: unknown, level: number): unknown {
  if (typeof value === 'string') return auditText(value)
  if (typeof value !== 'object' || value === null) return value
  if (level > MOST_LEVELS) {
    throw new StoreError('bad-value', `A value in the audit log has more than ${MOST_LEVELS} levels.`)
  }
  if (Array.isArray(value)) return value.map((item) => canonical(item, level + 1))
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, item] of entries) refuseSecret(key, item)
  return Object.fromEntries(entries.map(([key, item]) => [auditText(key), canonical(item, level + 1)]))
}

/** A log may say whether there is a token, but not the token. */
function refuseSecret(key: string, value: unknown): void {
  if (value === null || typeof value === 'boolean' || !SECRET_KEY.test(key)) return
  throw new StoreError(
    'bad-value',
    `The audit log keeps no secrets, and "${auditText(key)}" names one: leave it out, or say true.`,
  )
}
