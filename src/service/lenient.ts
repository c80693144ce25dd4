import type { z } from 'zod'
import type { DecodeContext } from './decode.ts'
import { isRecord, isRoundedInteger, type Schema, SHOW_AS_SENT } from './schema.ts'
import { formatOddValue } from './unread.ts'

/**
 * Reads an object with a compiled schema of scalars and lists of texts. Nearly every object is valid. If one isn't, its
 * unreadable parts (zod's issues) are noted and left out, and the rest is parsed again. Returns undefined if a required part is
 * bad. Then only that part is noted.
 */
export function readObject<T>(
  schema: Schema<T>,
  value: unknown,
  at: string,
  context: DecodeContext,
): T | undefined {
  // This check also keeps a list of 300,000 brackets cheap.
  if (!isRecord(value)) return noteUnread(value, at, context)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = findFaults(result.error.issues)
  const retried = schema.safeParse(repair(value, faults, context))
  const reported = retried.success ? faults : findFaults(retried.error.issues).slice(0, 1)
  for (const fault of reported) {
    const badPart = valueAt(value, fault.path)
    if (fault.isUnion && isRoundedInteger(badPart)) context.unread.hasRoundedInteger = true
    noteUnread(badPart, pathText(at, fault.path), context)
  }
  return retried.success ? retried.data : undefined
}

/** A part that a schema refuses: a field, or an item of a list in a field. */
interface Fault {
  readonly path: readonly PropertyKey[]
  /** Whether the schema accepts several types. If it refused a number, it would accept a text. */
  readonly isUnion: boolean
  readonly isShown: boolean
}

function findFaults(issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.map(({ path, code, message }) => ({
    path,
    isUnion: code === 'invalid_union',
    isShown: message === SHOW_AS_SENT,
  }))
}

/** Copies the object without its faulty parts. Parts that the schema shows are replaced by their text. */
function repair(value: Record<string, unknown>, faults: readonly Fault[], context: DecodeContext) {
  const copy = { ...value }
  const badItems = new Map<string, Set<PropertyKey>>()
  for (const { path, isShown } of faults) {
    const [field, item] = [String(path[0]), path[1]]
    if (item !== undefined) badItems.set(field, (badItems.get(field) ?? new Set()).add(item))
    else copy[field] = isShown ? showOdd(value[field], context) : undefined
  }
  for (const [field, bad] of badItems) {
    const list = value[field]
    if (Array.isArray(list)) copy[field] = list.filter((_, index) => !bad.has(index))
  }
  return copy
}

/** A value of the wrong type, as text. */
export function showOdd(value: unknown, { unread, hide }: DecodeContext): string {
  const { text, isInexact } = formatOddValue(value, hide)
  unread.hasRoundedInteger ||= isInexact
  return text
}

const valueAt = (value: Record<string, unknown>, [field, item]: readonly PropertyKey[]): unknown => {
  const part = value[String(field)]
  return item !== undefined && Array.isArray(part) ? part[Number(item)] : part
}

const pathText = (at: string, [field, item]: readonly PropertyKey[]): string =>
  (at === '' ? String(field) : `${at}.${String(field)}`) + (item === undefined ? '' : `[${String(item)}]`)

/** Rows with faults are slow to read. More of them in one list would block the event loop. */
const MAX_FAULTY_ROWS = 500

/** Reads a list row by row, so that only bad rows are lost. After 500 faulty rows, the remaining rows are noted as unreadable. */
export function readRows<T>(
  list: readonly unknown[],
  at: string,
  context: DecodeContext,
  readRow: (row: unknown, at: string) => T | undefined,
): { rows: T[]; lost: number } {
  const { unread } = context
  const rows: T[] = []
  let faulty = 0
  for (let index = 0; index < list.length; index += 1) {
    const value = list[index]
    const rowAt = `${at}[${index}]`
    if (faulty >= MAX_FAULTY_ROWS) {
      noteUnread(value, rowAt, context)
      continue
    }
    const countBefore = unread.count
    const row = readRow(value, rowAt)
    if (row !== undefined) rows.push(row)
    if (unread.count > countBefore && isRecord(value)) faulty += 1
  }
  return { rows, lost: list.length - rows.length }
}

/** Notes a part that is missing or of the wrong type. */
export function noteUnread(value: unknown, at: string, { unread, hide }: DecodeContext): undefined {
  unread.note(at, value, hide)
}
