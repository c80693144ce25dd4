import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Any code point except surrogates. fast-check has `unit: 'binary'` for this, but that builds a table of all of Unicode, which takes a
 * second and 85 MB in each test process, and slows down every garbage collection.
 */
export const ANY_CHARACTER = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count), toIndex)

/** A URL with a percent-encoded path. fast-check has `webUrl()` for this, but that also builds the table. */
export const WEB_URL = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    fc.array(fc.string({ unit: fc.oneof(fc.constantFrom(..."-._~!$&'()*+,;=:@aZ09"), ANY_CHARACTER) })),
  )
  .map(([scheme, host, path]) => {
    const encoded = path.map((segment) => `/${encodeURI(segment).replaceAll(/[/?#]/g, encodeURIComponent)}`)
    return `${scheme}://${host}${encoded.join('')}`
  })

/** The inverse of the mapping above, so that fast-check can shrink texts that it didn't generate. */
function toIndex(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== character)
    throw new Error('This isn’t a single character.')
  if (point < SURROGATES.first) return point
  if (point < SURROGATES.first + SURROGATES.count) throw new Error('This is a surrogate.')
  return point - SURROGATES.count
}
