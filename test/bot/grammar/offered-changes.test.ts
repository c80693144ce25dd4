import '../../fast-check-seed.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { offerLine, opensAtOnce, resolveLine, splitCommand } from '../../../src/bot/routes/lines.ts'
import { CHECKS, loadVerbs } from './real-verbs.ts'

const VERBS = [
  'create',
  'add',
  'new',
  'update',
  'edit',
  'rename',
  'remove',
  'delete',
  'watch',
  'mute',
  'maintenance',
  'send',
]
const WORD = fc.constantFrom(
  ...VERBS,
  ...['owner', 'to', 'from', 'checks', 'down', 'page', 'web', 'Shop checkout', 'checkout', 'status', 'csv'],
  ...['@ann', '#ops', 'https://new.example.com', '2h', 'tomorrow', 'until', '9am', 'please', 'everything'],
  ...['22-23', '8-10', 'from', 'because', 'deploy'],
)
const OPENING = fc.constantFrom(
  'how do I',
  'where can I',
  'am i allowed to',
  'who',
  'why',
  'can i',
  'is it ok to',
)

const changes = (line: string, routes: Awaited<ReturnType<typeof loadVerbs>>): boolean =>
  resolveLine(routes, splitCommand(line)).mayChange

it('offers no change for a question, and none whose verb isn’t at the beginning', async () => {
  const routes = await loadVerbs()
  let offered = 0
  fc.assert(
    fc.property(OPENING, fc.array(WORD, { maxLength: 5 }), (opening, words) => {
      const text = `${opening} ${words.join(' ')}`
      const { line } = offerLine(routes, { command: 'hc', text }, CHECKS)
      if (line === undefined) return
      offered += 1
      expect(changes(line, routes), `${text} → ${line}`).toBe(false)
    }),
  )
  fc.assert(
    fc.property(fc.array(WORD, { minLength: 1, maxLength: 6 }), (words) => {
      const text = `frobnicate ${words.join(' ')}`
      const { line, note } = offerLine(routes, { command: 'hc', text }, CHECKS)
      if (line === undefined || note !== undefined) return
      offered += 1
      expect(changes(line, routes), `${text} → ${line}`).toBe(false)
    }),
  )
  expect(offered).toBeGreaterThan(10)
})

it('opens a window at once only for what opens a form and nothing else, and that nobody asked about', async () => {
  const routes = await loadVerbs()
  let opened = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...VERBS),
      fc.array(WORD, { maxLength: 5 }),
      fc.constantFrom('', '?', ' ?'),
      (verb, words, mark) => {
        const line = { command: 'hc', text: `${[verb, ...words].join(' ')}${mark}` }
        const offers = offerLine(routes, line, CHECKS)
        expect(offers.line ?? '', line.text).not.toMatch(/--because "[\d:]/)
        if (!opensAtOnce(routes, line, offers)) return
        opened += 1
        const { isAct, opensModal } = resolveLine(routes, splitCommand(offers.line ?? ''))
        expect({ isAct, opensModal, mark }, line.text).toEqual({ isAct: false, opensModal: true, mark: '' })
        const [, , ...kept] = (offers.line ?? '').split(' ')
        if (offers.leftOut) expect(offers.leftOut.split(' ').length, line.text).toBeLessThan(kept.length)
      },
    ),
    { numRuns: 1000 },
  )
  expect(opened).toBeGreaterThan(10)
})

it.each([
  'add owner @ann to web',
  'add bob to Shop checkout',
  'add @bob',
  'new #ops',
  'add https://new.example.com to web',
  'am i allowed to create checks?',
  'create from csv',
])('offers to create nothing for “%s”', async (text) => {
  expect(offerLine(await loadVerbs(), { command: 'hc', text }, CHECKS).line ?? '').not.toMatch(
    /^\/hc create ./,
  )
})
