const FIELDS = ['uuid', 'name', 'target'] as const
type Row = Readonly<Record<(typeof FIELDS)[number], string>>
/** Builds a message, or part of one, from the rows of a page. */
type Build = (rows: readonly Row[]) => unknown

/**
 * Turns the app's own answer into a template, and returns a function that fills in other rows. This way, the reference servers post
 * the same message as the app, and building it costs them very little.
 */
export function createMessageBuilder(answer: unknown, rows: readonly Row[]): Build {
  const valueLocations = new Map(
    rows.flatMap((row, index) => FIELDS.map((field) => [row[field], { index, field }] as const)),
  )
  // Longest first, because one name may be a prefix of another.
  const values = [...valueLocations.keys()].toSorted((left, right) => right.length - left.length)
  const pattern = new RegExp(`(${values.map((value) => RegExp.escape(value)).join('|')})`)

  function createTextBuilder(text: string): Build {
    const parts = text.split(pattern).map((part) => valueLocations.get(part) ?? part)
    if (parts.length === 1) return () => text
    return (otherRows) => {
      let text = ''
      for (const part of parts)
        text += typeof part === 'string' ? part : (otherRows[part.index]?.[part.field] ?? '')
      return text
    }
  }

  function createBuilder(part: unknown): Build {
    if (typeof part === 'string') return createTextBuilder(part)
    if (Array.isArray(part)) {
      const items = part.map(createBuilder)
      return (otherRows) => items.map((item) => item(otherRows))
    }
    if (typeof part !== 'object' || part === null) return () => part
    const members = Object.entries(part).map(([key, value]) => [key, createBuilder(value)] as const)
    return (otherRows) => {
      const built: Record<string, unknown> = {}
      for (const [key, member] of members) built[key] = member(otherRows)
      return built
    }
  }
  return createBuilder(answer)
}
