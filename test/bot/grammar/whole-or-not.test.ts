import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchFlag } from '../../../src/bot/grammar/flags.ts'
import { CHECKS, draftTyped } from './real-verbs.ts'

const VERB = fc.constantFrom(
  'recipients',
  'update',
  'remove',
  'add',
  'drop',
  'follow',
  'rm',
  'silence',
  'status',
  'uptime',
  'give',
  'edit',
  'watch',
)
const WORD = fc.constantFrom(
  ...['shop*', 'blog', 'web', 'all', 'ann@example.com', '@ann', 'admin', '2h', 'please', 'checkout', 'from'],
)
const FLAG = fc.constantFrom(
  '--frequency 30',
  '--not "Shop checkout"',
  '--remove=no',
  '--remove no',
  '--remove off',
  '--add=false',
  '--no-share',
  '',
)

it('are read as a whole or not at all if they have a negation, or the name of an environment', async () => {
  let drafts = 0
  const BINDING = fc.constantFrom(
    'not',
    'no',
    'except',
    'but',
    'without',
    'don\u2019t',
    'never,',
    'ote',
    'Production',
    '(not',
    '@ote',
    '[OTE]?',
    '!blog',
    'aside',
  )
  await fc.assert(
    fc.asyncProperty(
      VERB,
      fc.array(WORD, { minLength: 1, maxLength: 4 }),
      BINDING,
      fc.nat(4),
      async (verb, words, word, at) => {
        const draft = await draftTyped(
          `/hc ${[verb, ...words.slice(0, at), word, ...words.slice(at)].join(' ')}`,
        )
        if (!draft) return
        drafts += 1
        expect(draft.leftOut).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
  expect(drafts).toBeGreaterThan(2)
})

it.each([
  'update all other than blog --frequency 30',
  'update blog and web --frequency 30',
  'update web, blog --frequency 30',
  'update everything else than web* --frequency 30',
  'edit web* other than blog --frequency 30',
  'remove ann@example.com from all save blog',
  'follow all besides Shop checkout',
])('change nothing without some of the health checks that they name: %s', async (typed) => {
  expect((await draftTyped(`/hc ${typed}`))?.reading.verb.needs ?? 'viewer').toBe('viewer')
})

it('are never read without an exception, or without a switch that is turned off', async () => {
  await fc.assert(
    fc.asyncProperty(
      VERB,
      fc.array(WORD, { minLength: 1, maxLength: 3 }),
      FLAG,
      async (verb, words, flag) => {
        const draft = await draftTyped(`/hc ${[verb, ...words, flag].join(' ')}`)
        const known = Object.keys(draft?.reading.verb.rules.flags ?? {})
        const left = (draft?.leftOut ?? []).flatMap((word) => matchFlag(word)?.name ?? [])
        expect(left.filter((name) => known.includes(name) || /^no(?:t$|-)/.test(name))).toEqual([])
        if (flag.startsWith('--remove')) expect(draft?.reading.args.flags.remove).not.toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

it.each([
  ['silence Shop checkout in 2h', 'in'],
  ['give @ann admin in 2h', 'in'],
  ['pause web at 22:00 London', 'London'],
])('don’t take another time for the one that was typed: %s', async (typed, leftOut) => {
  const draft = await draftTyped(`/hc ${typed}`)
  expect(draft?.leftOut.map(({ text }) => text).join(' ')).toBe(leftOut)
})

it('don’t take a value of a flag, or a time, for the name of a check', async () => {
  for (const { name } of CHECKS)
    for (const line of [
      `schedule blog --because ${name}`,
      `follow blog --not "${name}"`,
      `update blog --name ${name}`,
    ]) {
      const { check } = (await draftTyped(`/hc ${line}`))?.reading.args.values ?? {}
      expect([undefined, 'blog']).toContain(check)
    }
  const draft = await draftTyped('/hc silence web api until friday')
  expect(draft?.line).toBe('/hc mute "web api" until friday')
})

it('mean everything with “all”, also where a check has that name: the act asks', async () => {
  const named = [...CHECKS, { uuid: 'all', name: 'all', target: undefined }]
  expect((await draftTyped('/hc silence all 2h', named))?.line).toBe('/hc mute all 2h')
  // What only reads takes the name.
  expect((await draftTyped('/hc status web api', named))?.line).toBe('/hc show "web api"')
})

it.each([
  ['uptime shop.example.com/health', '/hc history "https://shop.example.com/health"'],
  ['status https://newsroom.example.com/', '/hc show "newsroom.example.com"'],
  ['silence shop.example.com 2h', '/hc mute "shop.example.com" 2h'],
])('find a health check by its target or host, as the reader does: %s', async (typed, line) => {
  expect((await draftTyped(`/hc ${typed}`))?.line).toBe(line)
})
