import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPolite } from '../../../src/bot/unread/meant-line.ts'
import { splitWords } from '../../../src/domain/quoting.ts'
import { findMeantBy } from './real-verbs.ts'

const VERB = fc.constantFrom(
  ...['add', 'silence', 'mute', 'unmute', 'page', 'watch', 'unwatch', 'grant', 'revoke', 'maintenance', 'rm'],
  ...[
    'frobnicate',
    'which',
    'should',
    'don’t',
    'stop',
    'update',
    'remove',
    'follow',
    'status',
    'uptime',
    'give',
  ],
)
const WORD = fc.constantFrom(
  ...['owner', 'to', 'from', 'checks', 'down', 'page', 'web', 'Shop checkout', 'checkout', 'status', 'csv'],
  ...['@ann', '#ops', 'https://new.example.com', '2h', 'tomorrow', 'until', '9am', 'please', 'everything'],
  ...['operator', 'except', 'not', 'shop*', 'because', 'deploy', 'all', 'ote', 'production', '--env ote'],
  ...['--frequency 30', '--not "Shop checkout"', '--remove=no', '--remove no', '--add=false', 'skip'],
)
/** What they may be written as, and what may stand between two values. */
const OTHER = new Set(['everything', 'all', 'to', 'until', 'from', 'except', 'not', 'because', 'for', 'in'])

it('are never offered or run without a word that says something', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(VERB, fc.array(WORD, { maxLength: 5 }), async (verb, words) => {
      const typed = splitWords(words.join(' '))
      const meant = await findMeantBy(`/hc ${[verb, ...words].join(' ')}`)
      if (!meant) return
      found += 1
      const toWords = (text: string): string[] => text.replace(/^--/, '').split(' ')
      const kept = splitWords(meant.line).flatMap(({ text }) => toWords(text.toLowerCase()))
      const lost = typed.filter(
        (word) =>
          !isPolite(word) &&
          !OTHER.has(word.text) &&
          !toWords(word.text.toLowerCase()).every((part) => kept.includes(part)),
      )
      expect(lost, meant.line).toEqual([])
    }),
    { numRuns: 3000 },
  )
  expect(found).toBeGreaterThan(100)
})
