import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findEnvironment } from '../../../src/bot/grammar/flags.ts'
import { splitCommand } from '../../../src/bot/routes/lines.ts'
import { resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { cleanTyped } from '../../../src/domain/typed-text/clean.ts'
import { findMeantBy, loadVerbs } from './real-verbs.ts'

const verbs = await loadVerbs()
const FLAG = fc.constantFrom(
  ...[
    '--env ote',
    '--env "ote"',
    "--env 'ote'",
    '--env `ote`',
    '--env=ote',
    '--ENV OTE',
    '--env ote?',
    '\u2014env ote',
  ],
  ...[
    '--env production',
    '--env "production"',
    '"--env ote"',
    '"see --env ote here"',
    '--because "--env ote"',
    '',
  ],
)
const VERB = fc.constantFrom(
  'show',
  'mute',
  'down',
  'list',
  'delete',
  'history',
  'rm',
  'status',
  'silence',
  'is',
)
const WORD = fc.constantFrom('checkout', 'shop*', '2h', 'until 18:00', 'please', 'ote', '"Shop checkout"')

const readEnvironment = (line: string) => {
  try {
    const { environment } = resolveTyped(verbs, splitCommand(line))
    return { environment, named: findEnvironment(cleanTyped(line)) }
  } catch {
    return undefined
  }
}

it('is the one that the reader reads, and the only one that what is understood of another line is about', async () => {
  let read = 0
  let drafts = 0
  await fc.assert(
    fc.asyncProperty(
      VERB,
      fc.array(WORD, { maxLength: 3 }),
      FLAG,
      fc.nat(3),
      async (verb, words, flag, at) => {
        const line = `/hc ${[verb, ...words.slice(0, at), flag, ...words.slice(at)].filter(Boolean).join(' ')}`
        const found = readEnvironment(line)
        if (found) expect(found.named, line).toBe(found.environment)
        const draft = found ? undefined : await findMeantBy(line)
        if (found) read += 1
        if (!draft) return
        drafts += 1
        expect(draft.reading.args.flags.env, line).toBe(findEnvironment(cleanTyped(line)))
      },
    ),
    { numRuns: 500 },
  )
  expect(Math.min(read, drafts)).toBeGreaterThan(10)
})
