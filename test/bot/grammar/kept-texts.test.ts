import fc from 'fast-check'
import { expect, it } from 'vitest'
import { resolveOwn, splitCommand, writeLine } from '../../../src/bot/routes/lines.ts'
import { resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { findMeantBy, loadVerbs } from './real-verbs.ts'

const verbs = await loadVerbs()
const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'
const LINES = fc.constantFrom(
  ...[`/threat note ${ID} `, `/threat close ${ID} --as down `],
  ...['/cert-order reject 12 ', '/cert-order reject --env ote 12 '],
)
const WORD = fc.constantFrom(
  ...[
    'wrong',
    'name',
    '--',
    '-',
    '--use',
    '--env',
    'ote',
    '--env=ote',
    '--as',
    '--ticket',
    '4711',
    '--share',
  ],
  ...[
    "'single'",
    '"double"',
    'say "so"',
    '(EU),',
    'gone.',
    '12',
    '@ann',
    'no',
    'everything',
    'to',
    '-b',
    '`code`',
  ],
)

it('are kept as typed to the end of the line, and in what is told or put on a button', () => {
  fc.assert(
    fc.property(LINES, fc.array(WORD, { minLength: 1, maxLength: 6 }), (line, words) => {
      // In quotes as a whole, a text ends before the flags that follow it.
      const text = ['wrong', ...words].join(' ')
      const reading = resolveTyped(verbs, splitCommand(line + text))
      expect(reading.args.values[reading.args.prose ?? '']).toBe(text)
      const told = `${writeLine(reading)} --env production`
      const { args, environment } = resolveOwn(verbs, splitCommand(told))
      expect(args.values[args.prose ?? ''], told).toBe(text)
      expect(environment, told).toBe('production')
    }),
    { numRuns: 1000 },
  )
})

it('are kept where another word stood for the verb', async () => {
  for (const [typed, meant] of [
    [`/threat comment ${ID} `, `/threat note ${ID} `],
    ['/cert-order deny 12 ', '/cert-order reject 12 '],
  ] as const)
    for (const text of [
      'seen at 10:00, then gone (again).',
      'everything fine to 23:00',
      'asked -- no reply',
      'gone!',
    ]) {
      const draft = await findMeantBy(typed + text)
      const { args } = resolveOwn(verbs, splitCommand(`${draft?.line} --env ote`))
      expect([args.values[args.prose ?? ''], args.flags.env]).toEqual([text, 'ote'])
      expect(draft?.line.startsWith(meant)).toBe(true)
    }
})

it('aren’t offered without some of their words, or in an environment that only they name', async () => {
  for (const text of ['see --env ote here', 'see the ticket --env=ote'])
    for (const line of [`/threat comment ${ID} `, '/cert-order deny 12 '])
      expect(await findMeantBy(line + text)).toBeUndefined()
})

it('take flags before them, and after them only if they are in quotes as a whole', () => {
  const read = (text: string) => resolveTyped(verbs, { command: 'threat', text }).args
  expect(read(`note --env ote ${ID} seen`)).toMatchObject({ flags: { env: 'ote' }, values: { text: 'seen' } })
  expect(read(`close ${ID} "it is gone" --as down`)).toMatchObject({
    flags: { as: 'down' },
    values: { text: 'it is gone' },
  })
  expect(read(`note ${ID}`).values.text).toBeUndefined()
})
