import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineHandler } from '../../../src/bot/find.ts'
import { readIfPossible } from '../../../src/bot/routes/lines.ts'
import { findMeant, skipPolite } from '../../../src/bot/unread/meant-line.ts'
import { readTyped, resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { findSimilarChecks } from '../../../src/domain/known-names.ts'
import { splitWords } from '../../../src/domain/quoting.ts'
import { loadVerbs } from './real-verbs.ts'

const verbs = await loadVerbs()

/** Health checks that count how often their names are read. */
function createCounted(count: number) {
  const reads = { count: 0 }
  const checks = Array.from({ length: count }, (_, at) => ({
    uuid: `u${at}`,
    get name() {
      reads.count += 1
      return `Café number ${at} of all`
    },
  }))
  return { reads, checks }
}

it('of a line that isn’t read doesn’t grow with its words', async () => {
  const words = fc.array(
    fc.constantFrom(
      'number',
      'all',
      'zz*',
      '2h',
      '@ann',
      '--yes',
      'mute',
      'rm',
      'until',
      'café',
      '77',
      '"x y"',
    ),
    { maxLength: 40 },
  )
  await fc.assert(
    fc.property(fc.constantFrom('add', 'remove', 'silence', 'why', 'frob'), words, (verb, typed) => {
      let reads = 0
      const read = (line: string) => {
        reads += 1
        return readIfPossible(verbs, line, readTyped)
      }
      const line = skipPolite(splitWords([verb, ...typed].join(' ')))
      findMeant(verbs.findVerbs('hc'), line, { read, names: [] })
      expect(reads).toBeLessThanOrEqual(18)
    }),
    { numRuns: 100 },
  )
})

it.each([
  [10, true],
  [39_900, false],
])(
  'of a line that is too long looks for its verb at its beginning only, after %d spaces',
  (spaces, mayChange) => {
    const text = `${' '.repeat(spaces)}delete ${'x'.repeat(5000)}`
    const places = {
      listWaiting: async () => [],
      findNearby: async () => ({ checks: [], buttons: [], environment: 'production' as const }),
    }
    const routes = { ...verbs, ...places, findShortcut: () => undefined, topics: [], toCommandText: String }
    const handler = lineHandler({ routes }, { command: 'hc', text }, resolveTyped)
    expect(handler.mayChange).toBe(mayChange)
  },
)

it('of many mistyped names prepares each name once, and lets others have their turn', async () => {
  const { reads, checks } = createCounted(3000)
  let turns = 0
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const found = await Promise.all(
    Array.from({ length: 40 }, (_, at) => findSimilarChecks(checks, `Cafe nubmer ${at} of all`)),
  )
  clearImmediate(next)
  expect(found.every((similar) => similar.length > 0)).toBe(true)
  const perName = reads.count / checks.length
  expect(perName).toBeLessThanOrEqual(2)
  expect(turns).toBeGreaterThanOrEqual(10)
})
