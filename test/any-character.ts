import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * Each code point but the surrogates, as the library's `unit: 'binary'`: that one builds a table of the whole of Unicode, a second
 * and 85 MB for each process of the tests, and every later collection of garbage goes through it.
 */
export const ANY_CHARACTER = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count), indexOf)

/** As the library's `webUrl()`, which builds that table too: an address with a path, percent-encoded where it has to be. */
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

function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('Not one character.')
  if (point < SURROGATES.first) return point
  if (point < SURROGATES.first + SURROGATES.count) throw new Error('Half a character.')
  return point - SURROGATES.count
}
