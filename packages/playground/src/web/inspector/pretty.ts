import { isFields, parseJson } from '../../json.ts'
import type { Json } from '../../protocol.ts'

/** JSON text inside of JSON (Slack's `payload`, a form's `blocks`), parsed so that it can be read. */
function opened(value: Json): Json {
  if (typeof value === 'string') return /^[[{]/.test(value) ? (parseJson(value) ?? value) : value
  if (Array.isArray(value)) return value.map(opened)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, opened(inner)]))
}

/** A payload in readable form; text that isn't JSON stays unchanged. */
export function pretty(body: Json): string {
  const value = opened(body)
  if (value === null || value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
