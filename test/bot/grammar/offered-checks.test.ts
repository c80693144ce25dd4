import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance } from '../../../src/domain/edit-distance.ts'
import { findCheckId } from '../../../src/domain/find-check.ts'
import { CHECKS } from './real-verbs.ts'

const checks = CHECKS.map((check) => ({
  ...check,
  target: check.target ?? `${check.name[0]}.example.net/up`,
}))
const service = {
  api: async () => ({
    healthChecks: {
      list: async () => ({ results: [], total: 0 }),
      listNames: async () => ({ checks }),
      get: () => Promise.reject(new Error('Nothing is read.')),
    },
  }),
}

const word = fc.constantFrom(
  'old',
  'v2',
  '2',
  'API',
  'staging',
  'page',
  'down',
  'https://shop.example.com/old',
  'queue',
)
/** A name or target of a check with a word more, a word less, a letter less, or another path. */
const typed = fc
  .tuple(fc.constantFrom(...checks.flatMap(({ name, target }) => [name, target])), word, fc.nat(), fc.nat(5))
  .map(([text, other, at, how]) => {
    const words = text.split(' ')
    if (how === 0) return `${text} ${other}`
    if (how === 1) return `${other} ${text}`
    if (how === 2) return words.toSpliced(at % words.length, 1, other).join(' ')
    if (how === 3) return words.toSpliced(at % words.length, 1).join(' ')
    if (how === 4) return text.slice(0, at % text.length) + text.slice((at % text.length) + 1)
    return `https://${text.replaceAll(' ', '.')}/${other}`
  })

/** Whether a check has all of the text, or is a typo of it. */
function isMeant(text: string, name: string): boolean {
  const [one, target = ''] = checks
    .filter((check) => check.name === name)
    .flatMap((each) => [each.name, each.target])
  const [low, bare] = [text.toLowerCase(), text.toLowerCase().replace(/^https?:\/\//, '')]
  const isTypo = [name, ...name.split(' ')].some(
    (part) => editDistance(low.replaceAll(/[-_. ]+/g, ' '), part.toLowerCase(), 20) <= 2,
  )
  return (
    one !== undefined && (one.toLowerCase().includes(low) || target.toLowerCase().includes(bare) || isTypo)
  )
}

it('offers to delete only a check that has all of what was typed, or differs by a typo', async () => {
  const getName = (line = ''): string | undefined => /^\/hc delete "?([^"*]+)"?$/.exec(line)?.[1]
  await fc.assert(
    fc.asyncProperty(typed, async (text) => {
      const error = await findCheckId(service, {
        values: { check: text },
        lineFor: (check) => `/hc delete ${check}`,
      }).catch((thrown) => thrown)
      const lines: string[] = (error.suggestions ?? []).map(({ line }: { line: string }) => line)
      for (const name of lines.flatMap((each) => getName(each) ?? []))
        if (checks.some((check) => check.name === name))
          expect(isMeant(text, name), `${text} → ${name}`).toBe(true)
    }),
    { numRuns: 1000 },
  )
})
