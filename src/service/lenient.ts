import { isRecord } from '@signalman/runtime'
import type { z } from 'zod'
import type { DecodeContext } from './decode.ts'
import { formatUnexpectedValue } from './parse-issues.ts'
import { DISPLAY_AS_SENT, isRoundedInteger, type Schema } from './schema.ts'

/**
 * Parses an object with a schema of scalars and lists of texts, and tolerates bad fields: it records them, drops them, and parses
 * the rest again. Returns undefined if a required field is bad, and then records only that one.
 */
export function readObject<T>(
  schema: Schema<T>,
  value: unknown,
  at: string,
  context: DecodeContext,
): T | undefined {
  // Also rejects a list of 300,000 brackets before zod spends time on it.
  if (!isRecord(value)) return addIssue(value, at, context)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = toFaults(result.error.issues)
  const retried = schema.safeParse(repair(value, faults, context))
  const reported = retried.success ? faults : toFaults(retried.error.issues).slice(0, 1)
  for (const fault of reported) {
    const badPart = valueAt(value, fault.path)
    if (fault.isUnion && isRoundedInteger(badPart)) context.issues.hasRoundedInteger = true
    addIssue(badPart, pathText(at, fault.path), context)
  }
  return retried.success ? retried.data : undefined
}

/** A part that the schema rejects: a field, or an item of a list in a field. */
interface Fault {
  readonly path: readonly PropertyKey[]
  /** Whether the schema accepts several types. If it rejected a number, it would accept a text. */
  readonly isUnion: boolean
  /** Whether the value is replaced by its text instead of dropped. */
  readonly isDisplayed: boolean
}

function toFaults(issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map(({ path, code, message }) => ({
    path,
    isUnion: code === 'invalid_union',
    isDisplayed: message === DISPLAY_AS_SENT,
  }))
}

/** Copies the object without its faulty parts. Replaces those of `displayText` fields with their text. */
function repair(value: Record<string, unknown>, faults: readonly Fault[], context: DecodeContext) {
  const copy = { ...value }
  const badItems = new Map<string, Set<PropertyKey>>()
  for (const { path, isDisplayed } of faults) {
    const [field, item] = [String(path[0]), path[1]]
    if (item !== undefined) badItems.set(field, (badItems.get(field) ?? new Set()).add(item))
    else copy[field] = isDisplayed ? formatUnexpected(value[field], context) : undefined
  }
  for (const [field, bad] of badItems) {
    const list = value[field]
    if (Array.isArray(list)) copy[field] = list.filter((_, index) => !bad.has(index))
  }
  return copy
}

/** Formats a value of the wrong type as text. */
export function formatUnexpected(value: unknown, { issues, redact }: DecodeContext): string {
  const { text, isInexact } = formatUnexpectedValue(value, redact)
  issues.hasRoundedInteger ||= isInexact
  return text
}

const valueAt = (value: Record<string, unknown>, [field, item]: readonly PropertyKey[]): unknown => {
  const part = value[String(field)]
  return item !== undefined && Array.isArray(part) ? part[Number(item)] : part
}

const pathText = (at: string, [field, item]: readonly PropertyKey[]): string =>
  (at === '' ? String(field) : `${at}.${String(field)}`) + (item === undefined ? '' : `[${String(item)}]`)

/** Rows with faults are slow to parse. More of them in one list would block the event loop. */
const MAX_FAULTY_ROWS = 500

/** Parses a list row by row, so that only bad rows are lost. After 500 faulty rows, all remaining rows count as unreadable. */
export function readRows<T>(
  list: readonly unknown[],
  at: string,
  context: DecodeContext,
  readRow: (row: unknown, at: string) => T | undefined,
): { rows: T[]; lost: number } {
  const { issues } = context
  const rows: T[] = []
  let faulty = 0
  for (let index = 0; index < list.length; index += 1) {
    const value = list[index]
    const rowAt = `${at}[${index}]`
    if (faulty >= MAX_FAULTY_ROWS) {
      addIssue(value, rowAt, context)
      continue
    }
    const countBefore = issues.count
    const row = readRow(value, rowAt)
    if (row !== undefined) rows.push(row)
    if (issues.count > countBefore && isRecord(value)) faulty += 1
  }
  return { rows, lost: list.length - rows.length }
}

/** Records a part that is missing or of the wrong type. Returns undefined, so that callers can return its result. */
export function addIssue(value: unknown, at: string, { issues, redact }: DecodeContext): undefined {
  issues.add(at, value, redact)
}
