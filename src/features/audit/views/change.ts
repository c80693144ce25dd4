import { clip, oneLine } from '../../../blocks/text.ts'

const VALUE = 80
const WHOLE = 400

/** What an act changed, on one line of at most 400 characters: the fields that differ, old → new. */
export function changeLine(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const fields = isRecord(before ?? {}) && isRecord(after ?? {})
  const line = fields ? fieldLines(asRecord(before), asRecord(after)) : pair(before, after)
  return clip(line, WHOLE)
}

function fieldLines(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${pair(before[key], after[key])}`)
    .join('; ')
}

function pair(before: unknown, after: unknown): string {
  if (before === undefined) return shown(after)
  return after === undefined ? `was ${shown(before)}` : `${shown(before)} → ${shown(after)}`
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : clip(value.map(shown).join(', '), VALUE)
  if (isRecord(value)) return clip(`(${fieldLines({}, value)})`, VALUE)
  return clip(oneLine(String(value)), VALUE) || '(empty)'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
