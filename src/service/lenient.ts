import { isRecord } from '@signalman/runtime'
import type { ParseIssueCollector } from './parse-issues.ts'
import type { Schema } from './schema.ts'

type Path = readonly PropertyKey[]

/**
 * Parses an object, and tolerates bad parts: it records them, drops them, and parses the rest again. Returns undefined if a required
 * part is bad, and then records only that one.
 */
export function readObject<T>(
  schema: Schema<T>,
  value: unknown,
  at: string,
  issues: ParseIssueCollector,
): T | undefined {
  // Also rejects a list of 300,000 brackets before zod spends time on it.
  if (!isRecord(value)) return issues.add(at)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path }) => path)
  const retried = schema.safeParse(withoutParts(value, faults))
  const reported = retried.success ? faults : retried.error.issues.slice(0, 1).map(({ path }) => path)
  for (const path of reported) issues.add(pathText(at, path))
  return retried.success ? retried.data : undefined
}

/** Copies an object or a list without the parts at these paths. */
function withoutParts(value: unknown, paths: readonly Path[]): unknown {
  const faults = Map.groupBy(paths, ([key]) => String(key))
  const kept = Object.entries(value ?? {}).flatMap(([key, part]) => {
    const inner = faults.get(key)
    if (!inner) return [[key, part] as const]
    return inner.some((path) => path.length === 1)
      ? []
      : [
          [
            key,
            withoutParts(
              part,
              inner.map((path) => path.slice(1)),
            ),
          ] as const,
        ]
  })
  return Array.isArray(value) ? kept.map(([, part]) => part) : Object.fromEntries(kept)
}

const pathText = (at: string, path: Path): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : [text, key].filter(Boolean).join('.')),
    at,
  )

/** Rows with faults are slow to parse. More of them in one list would block the event loop. */
const MAX_FAULTY_ROWS = 500

/** Parses a list row by row, so that only bad rows are lost. After 500 faulty rows, all remaining rows count as unreadable. */
export function readRows<T>(
  list: readonly unknown[],
  at: string,
  issues: ParseIssueCollector,
  readRow: (row: unknown, at: string, issues: ParseIssueCollector) => T | undefined,
): { rows: T[]; lost: number } {
  let faulty = 0
  const rows: T[] = []
  for (const [index, value] of list.entries()) {
    if (faulty === MAX_FAULTY_ROWS) {
      issues.count += list.length - index
      break
    }
    const countBefore = issues.count
    const row = readRow(value, `${at}[${index}]`, issues)
    if (issues.count > countBefore) faulty += 1
    if (row !== undefined) rows.push(row)
  }
  return { rows, lost: list.length - rows.length }
}
