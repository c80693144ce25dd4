const FIELDS = ['uuid', 'name', 'target'] as const
type Row = Readonly<Record<(typeof FIELDS)[number], string>>

/**
 * Turns the app's own answer into a template, and returns a function that fills in other rows. This way, the reference servers post
 * the same message as the app, and building it costs them very little.
 */
export function createMessageBuilder(answer: object, rows: readonly Row[]): (rows: readonly Row[]) => object {
  const places = new Map(
    rows.flatMap((row, index) => FIELDS.map((field) => [row[field], { index, field }] as const)),
  )
  // Longest first, because one name may be a prefix of another.
  const values = [...places.keys()].toSorted((left, right) => right.length - left.length)
  const pattern = new RegExp(`(${values.map((value) => RegExp.escape(value)).join('|')})`)
  const parts = JSON.stringify(answer)
    .split(pattern)
    .map((part) => places.get(part) ?? part)
  return (others) =>
    JSON.parse(
      parts.map((part) => (typeof part === 'string' ? part : others[part.index]?.[part.field])).join(''),
    )
}
