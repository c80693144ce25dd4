import { UserError } from '@signalman/runtime'
import { COLUMNS, OPTIONAL, REQUIRED } from './columns.ts'

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['customer', 'customer_id'],
  ['server_address', 'http_server_address'],
  ['interval', 'frequency'],
  ['ssl', 'verify_ssl'],
])

const normal = (head: string): string => {
  const name = head
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return ALIASES.get(name) ?? name
}

/**
 * Field name of the form → which cell of a row holds it. Case, spaces and hyphens in the head do not count; columns that
 * are none of ours are passed over. Throws UserError for a column that is missing or there twice.
 */
export function readHead(head: readonly string[]): ReadonlyMap<string, number> {
  const names = head.map(normal)
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UserError(
      `The first line must name the columns, and lacks ${missing.join(', ')}. Needed are ${REQUIRED.join(', ')}; ${OPTIONAL.join(' and ')} can be left out. Other columns do not matter.`,
    )
  const inputs = COLUMNS.flatMap(({ name, input }) => (input ? [[name, input] as const] : []))
  const twice = inputs.filter(([name]) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice.length > 0)
    throw new UserError(
      `The first line names ${twice.map(([name]) => name).join(', ')} twice. Keep one of each.`,
    )
  return new Map(
    inputs.flatMap(([name, input]) => (names.includes(name) ? [[input, names.indexOf(name)]] : [])),
  )
}

/** The values of an entry by the names of the form's fields; what is no column of ours is passed over. */
export function inputsOf(
  entries: readonly (readonly [name: string, value: unknown])[],
): ReadonlyMap<string, unknown> {
  const inputs = new Map(COLUMNS.flatMap(({ name, input }) => (input ? [[name, input] as const] : [])))
  return new Map(
    entries.flatMap(([name, value]) => {
      const input = inputs.get(normal(name))
      return input ? [[input, value] as const] : []
    }),
  )
}
