import { describe, expect, it } from 'vitest'
import { createResolveLine, type ResolveLine, splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import { createRoutes, type RouteTable, type Verb } from '../../../src/bot/routes/routes.ts'
import { type FlagSpec, flagType } from '../../../src/bot/typed/command-line.ts'
import { startWorld } from '../../world.ts'

const COMMON_FLAGS = { env: ['production', 'ote'], share: 'switch', yes: 'switch', from: 'value' } as const

/** Lists ways to type a flag: with a valid value, with an invalid one, and without a value. */
function listTypedFlags(name: string, spec: FlagSpec): string[] {
  const bare = flagType(spec)
  const values = typeof bare === 'object' && 'listOf' in bare ? bare.listOf : bare
  if (values === 'switch') return [`--${name}`]
  const [value = ''] = values === 'value' ? ['v1'] : values.slice(-1)
  return [`--${name} ${value}`, `--${name}=${value}`, `--${name} "no such value"`, `--${name}`]
}

/** Returns the resolved command, or the error and its suggestions. */
async function resolveEffect(resolve: ResolveLine, line: string): Promise<unknown> {
  const resolved = resolve(splitCommand(line))
  if ('verb' in resolved) return resolved
  return resolved.resolve().catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    return { error: error.message, suggestions: 'suggestions' in error ? error.suggestions : [] }
  })
}

function listSynonyms(
  routes: RouteTable,
): { command: string; word: string; lines: string[]; isDirect: boolean }[] {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  return commands.flatMap((command) =>
    [...routes.findSynonyms(command)].map(([word, target]) => ({
      command,
      word,
      lines: [target].flat().map((line) => (line.startsWith('/') ? line : `/${command} ${line}`.trim())),
      isDirect: typeof target === 'string',
    })),
  )
}

/** Lists arguments for each flag of a verb: in every form, before and after a word, repeated, and next to an unknown flag. */
const listArguments = (verb: Verb | undefined): string[] =>
  Object.entries({ ...COMMON_FLAGS, ...verb?.flags })
    .flatMap(([name, spec]) => listTypedFlags(name, spec))
    .flatMap((typed) => [typed, `${typed} web`, `web ${typed}`, `${typed} ${typed}`, `${typed} --frobnicate`])

describe('every synonym with every flag', () => {
  it('has the same effect as its verb, or fails with the same error', async () => {
    await using world = await startWorld()
    const { routes } = world.app
    const resolve = createResolveLine(routes)
    const synonyms = listSynonyms(routes).filter(({ isDirect }) => isDirect)
    let runnable = 0
    for (const { command, word, lines } of synonyms) {
      const [line = ''] = lines
      const [, verb = ''] = line.split(' ')
      for (const rest of listArguments(routes.findVerbs(command)?.get(verb))) {
        // A word directly after `/hc` is parsed as its verb.
        if (verb === '' && !rest.startsWith('--')) continue
        const expected = await resolveEffect(resolve, `${line} ${rest}`)
        expect(await resolveEffect(resolve, `/${command} ${word} ${rest}`), `${word} ${rest}`).toEqual(
          expected,
        )
        expect(await resolveEffect(resolve, `/${command} ${word.toUpperCase()} ${rest}`)).toEqual(expected)
        runnable += Number(typeof expected === 'object' && expected !== null && 'verb' in expected)
      }
    }
    expect(synonyms.length).toBeGreaterThan(50)
    expect(runnable).toBeGreaterThan(synonyms.length)
  })

  it('keeps the typed environment', async () => {
    await using world = await startWorld()
    const resolve = createResolveLine(world.app.routes)
    for (const { command, word, lines, isDirect } of listSynonyms(world.app.routes)) {
      const typed = await resolveEffect(resolve, `/${command} ${word} --env ote`)
      if (isDirect) expect(typed, word).toMatchObject({ environment: 'ote' })
      else
        for (const { line } of (typed as { suggestions: { line: string }[] }).suggestions)
          expect(line, lines.join()).toMatch(/ --env ote$|^\/[a-z-]+ help$/)
    }
  })

  it('keeps the typed words if the suggested verb accepts them', async () => {
    await using world = await startWorld()
    const resolve = createResolveLine(world.app.routes)
    for (const { command, word, lines } of listSynonyms(world.app.routes).filter(
      ({ isDirect }) => !isDirect,
    )) {
      const { suggestions } = (await resolveEffect(resolve, `/${command} ${word} web*`)) as {
        suggestions: { line: string }[]
      }
      const suggested = suggestions.map(({ line }) => line).filter((line) => !/ help$| show "/.test(line))
      expect(suggestions.length, word).toBeLessThanOrEqual(3)
      for (const line of suggested) {
        if (lines.some((synonymLine) => line === `${synonymLine} web*`)) continue
        expect(lines).toContain(line)
        expect(await resolveEffect(resolve, `${line} web*`), line).toHaveProperty('suggestions')
      }
    }
  })
})

describe('a synonym', () => {
  const verb = (usage: string, synonyms = {}) => ({
    usage,
    description: '',
    needs: 'viewer' as const,
    synonyms,
    run: () => Promise.reject(new Error('Not called in these tests.')),
  })

  it.each([
    { problem: 'is a verb', words: { show: 'list' }, expected: '“show” is a verb of /hc' },
    { problem: 'has two words', words: { 'all checks': 'list' }, expected: 'isn’t a single word' },
    {
      problem: 'matches no verb',
      words: { ls: 'lits' },
      expected: '“ls” of /hc is a synonym of “lits”, which isn’t a command.',
    },
    { problem: 'suggests no verb', words: { ls: ['/nope list'] }, expected: 'which isn’t a command' },
    {
      problem: 'matches two verbs',
      words: { also: 'list' },
      expected: '“also” is a synonym of both “show” and “list” of /hc.',
    },
  ])('is rejected if it $problem', ({ words, expected }) => {
    const routes = createRoutes()
    routes.verb(verb('/hc'))
    routes.verb(verb('/hc show NAME', { also: 'show' }))
    routes.verb(verb('/hc list', words))
    expect(() => routes.throwIfAmbiguous()).toThrow(expected)
  })
})

describe('words that a verb doesn’t accept', () => {
  it.each([
    { typed: '/hc import checks.csv --env ote', expected: '/hc import doesn’t take “checks.csv”.' },
    { typed: '/hc upload checks.csv --env ote', expected: '/hc import doesn’t take “checks.csv”.' },
    { typed: '/hc env ote please', expected: '/hc env doesn’t take “please”.' },
    {
      typed: '/hc undo a b c d e f g',
      expected: '/hc undo doesn’t take “a”, “b”, “c”, “d”, “e” and 2 more.',
    },
    { typed: '/cert-order renew abc def', expected: '/cert-order renew doesn’t take “def”.' },
  ])('are named in the error: $typed', async ({ typed, expected }) => {
    await using world = await startWorld()
    const effect = await resolveEffect(createResolveLine(world.app.routes), typed)
    expect(effect).toMatchObject({ error: expected, suggestions: [] })
  })
})

describe('the words after a misplaced or unknown verb', () => {
  it.each([
    { typed: '/hc --env ote list', line: '/hc list --env ote' },
    { typed: '/hc status Shop checkout --env ote', line: '/hc show Shop checkout --env=ote' },
  ])('are kept in the suggestion: $typed', async ({ typed, line }) => {
    await using world = await startWorld()
    const { suggestions } = (await resolveEffect(createResolveLine(world.app.routes), typed)) as {
      suggestions: { line: string }[]
    }
    expect(suggestions.map(({ line }) => line.replace('--env=', '--env '))).toEqual([
      line.replace('--env=', '--env '),
    ])
  })
})
