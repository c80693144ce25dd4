import { isRecord } from '@signalman/runtime'
import type { DecodeContext } from './decode.ts'
import type { Schema } from './schema.ts'

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
  const faults = result.error.issues.map(({ path }) => path)
  const retried = schema.safeParse(withoutParts(value, faults))
  const reported = retried.success ? faults : retried.error.issues.slice(0, 1).map(({ path }) => path)
  for (const path of reported) addIssue(valueAt(value, path), pathText(at, path), context)
  return retried.success ? retried.data : undefined
}

/** Copies the object without these fields, or items of lists in its fields. */
function withoutParts(value: Record<string, unknown>, paths: readonly (readonly PropertyKey[])[]) {
  const copy = { ...value }
  const badItems = new Map<string, Set<PropertyKey>>()
  for (const [name, item] of paths) {
    const field = String(name)
    if (item === undefined) delete copy[field]
    else badItems.set(field, (badItems.get(field) ?? new Set()).add(item))
  }
  for (const [field, bad] of badItems) {
    const list = value[field]
    if (Array.isArray(list)) copy[field] = list.filter((_, index) => !bad.has(index))
  }
  return copy
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
