const FIELDS = ['uuid', 'name', 'target'] as const
type Row = Readonly<Record<(typeof FIELDS)[number], string>>
/** Builds a message, or part of one, from the rows of a page. */
type Build = (rows: readonly Row[]) => unknown

/**
 * Derives from the app's own answer the least code that builds the same answer for other rows: it creates each object and list,
 * and formats each text that is about a row. So peers post the same message, whatever the app's looks like.
 */
export function messageLike(answer: unknown, rows: readonly Row[]): Build {
  const places = new Map(
    rows.flatMap((row, index) => FIELDS.map((field) => [row[field], { index, field }] as const)),
  )
  // One name may be a prefix of another.
  const values = [...places.keys()].toSorted((left, right) => right.length - left.length)
  const found = new RegExp(`(${values.map((value) => RegExp.escape(value)).join('|')})`)

  function textLike(text: string): Build {
    const parts = text.split(found).map((part) => places.get(part) ?? part)
    if (parts.length === 1) return () => text
    return (given) => {
      let made = ''
      for (const part of parts)
        made += typeof part === 'string' ? part : (given[part.index]?.[part.field] ?? '')
      return made
    }
  }

  function like(part: unknown): Build {
    if (typeof part === 'string') return textLike(part)
    if (Array.isArray(part)) {
      const items = part.map(like)
      return (given) => items.map((item) => item(given))
    }
    if (typeof part !== 'object' || part === null) return () => part
    const members = Object.entries(part).map(([key, value]) => [key, like(value)] as const)
    return (given) => {
      const made: Record<string, unknown> = {}
      for (const [key, member] of members) made[key] = member(given)
      return made
    }
  }
  return like(answer)
}
