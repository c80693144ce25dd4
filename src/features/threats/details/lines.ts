import { lasted } from '@signalman/runtime'
import { type Line, words } from '@signalman/slack'
import { safeLine } from '../defang.ts'

/** A piece of a line: safe text, or a date. */
type Part = string | Date

/** `Label: parts`, or nothing when every part is empty. */
export function fact(label: string, ...parts: (Part | undefined)[]): Line[] {
  const said = parts.flatMap((part) => (part === undefined || part === '' ? [] : [part]))
  return said.length === 0 ? [] : [[words(`${label}: `, { bold: true }), ...said]]
}

/** A date with its distance from now and from the report; nothing when there is no date. */
export function dated(at: Date | undefined, now: Date, reported?: Date): Part[] {
  if (!at) return []
  const distance = at > now ? `in ${lasted(now, at)}` : `${lasted(at, now)} ago`
  const before = reported && at <= reported ? `, ${lasted(at, reported)} before the report` : ''
  return [at, ` (${distance}${before})`]
}

/** As many items as fit into `maxLength` characters, defanged, and how many more there are. */
export function listed(items: readonly string[], maxLength: number): string | undefined {
  const shown: string[] = []
  let room = maxLength
  for (const item of items) {
    const said = safeLine(item, 100)
    room -= said.length + 2
    if (room < 0) break
    shown.push(said)
  }
  const left = items.length - shown.length
  return shown.length === 0 ? undefined : shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}
