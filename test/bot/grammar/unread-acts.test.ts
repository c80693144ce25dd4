import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isComplete } from '../../../src/bot/routes/draft.ts'
import { foldName } from '../../../src/domain/typed-text/fold-name.ts'
import { CHECKS, draftTyped } from './real-verbs.ts'

const VERB = fc.constantFrom(
  ...['add', 'silence', 'mute', 'unmute', 'page', 'watch', 'unwatch', 'grant', 'revoke', 'maintenance', 'rm'],
  ...['frobnicate', 'how', 'should', 'don’t', 'stop'],
)
const WORD = fc.constantFrom(
  ...['owner', 'to', 'from', 'checks', 'down', 'page', 'web', 'Shop checkout', 'checkout', 'status', 'csv'],
  ...['@ann', '#ops', 'https://new.example.com', '2h', 'tomorrow', 'until', '9am', 'please', 'everything'],
  ...['operator', 'except', 'not', 'shop*', 'because', 'deploy', 'all'],
)

it('are never offered as an act without a word that was typed, or about a check that doesn’t exist', async () => {
  let acts = 0
  await fc.assert(
    fc.asyncProperty(VERB, fc.array(WORD, { maxLength: 5 }), async (verb, words) => {
      const draft = await draftTyped(`/hc ${[verb, ...words].join(' ')}`)
      const { check } = draft?.reading.args.values ?? {}
      if (check !== undefined)
        expect(CHECKS.some(({ name }) => foldName(name).includes(foldName(check)))).toBe(true)
      if (!draft?.reading.isAct || !isComplete(draft.reading) || draft.leftOut.length > 0) return
      acts += 1
      const kept = foldName(draft.line)
      for (const word of ['except', 'not', 'because', 'deploy', 'owner', 'csv'])
        if (words.includes(word)) expect(kept, words.join(' ')).toContain(word)
    }),
    { numRuns: 2000 },
  )
  expect(acts).toBeGreaterThan(10)
})
