import type { Json } from '../../protocol/json.ts'
import { isFields, parseJson } from '../../protocol/json.ts'

/** Parses strings that contain JSON, such as Slack's `payload` field or the `blocks` of a form post. */
function parseNested(value: Json): Json {
  if (typeof value === 'string') return /^[[{]/.test(value) ? (parseJson(value) ?? value) : value
  if (Array.isArray(value)) return value.map(parseNested)
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, parseNested(inner)]))
}

/** Formats a request or response body for display. Text that isn't JSON stays unchanged. */
export function formatPayload(body: Json): string {
  const value = parseNested(body)
  if (value === null || value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
