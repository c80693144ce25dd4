import { describe, expect, it } from 'vitest'
import { createResolveLine, type ResolveLine, splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import { createRoutes, type RouteTable, type Verb } from '../../../src/bot/routes/routes.ts'
import { bareSpec, type FlagSpec } from '../../../src/bot/typed/command-line.ts'
import { startWorld } from '../../world.ts'

const COMMON_FLAGS = { env: ['production', 'ote'], share: 'switch', yes: 'switch', from: 'value' } as const

/** Ways to type a flag: with a valid value, an invalid one, and none. */
function typedFlags(name: string, spec: FlagSpec): string[] {
  const bare = bareSpec(spec)
  const values = typeof bare === 'object' && 'listOf' in bare ? bare.listOf : bare
  if (values === 'switch') return [`--${name}`]
  const [value = ''] = values === 'value' ? ['v1'] : values.slice(-1)
  return [`--${name} ${value}`, `--${name}=${value}`, `--${name} "no such value"`, `--${name}`]
}

/** Everything about a line that determines its effect or its refusal. */
async function resolveEffect(resolve: ResolveLine, line: string): Promise<unknown> {
  const resolved = resolve(splitCommand(line))
  if ('verb' in resolved) return resolved
  return resolved.resolve().catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    return { refused: error.message, offers: 'suggestions' in error ? error.suggestions : [] }
  })
}

function listSynonyms(
  routes: RouteTable,
): { command: string; word: string; lines: string[]; runs: boolean }[] {
  const commands = [...new Set(routes.verbs.map(({ command }) => command))]
  return commands.flatMap((command) =>
    [...routes.findSynonyms(command)].map(([word, meant]) => ({
      command,
      word,
      lines: [meant].flat().map((line) => (line.startsWith('/') ? line : `/${command} ${line}`.trim())),
      runs: typeof meant === 'string',
    })),
  )
}

/** Each flag of a verb in each form, before and after a word, twice, and beside an unknown flag. */
const listArguments = (verb: Verb | undefined): string[] =>
  Object.entries({ ...COMMON_FLAGS, ...verb?.flags })
    .flatMap(([name, spec]) => typedFlags(name, spec))
    .flatMap((typed) => [typed, `${typed} web`, `web ${typed}`, `${typed} ${typed}`, `${typed} --frobnicate`])

describe('every synonym with every flag', () => {
  it('has the same effect as its verb, or is refused with the same error', async () => {
    await using world = await startWorld()
    const { routes } = world.app
    const resolve = createResolveLine(routes)
    const synonyms = listSynonyms(routes).filter(({ runs }) => runs)
    let understood = 0
    for (const { command, word, lines } of synonyms) {
      const [line = ''] = lines
      const [, verb = ''] = line.split(' ')
      for (const rest of listArguments(routes.findVerbs(command)?.get(verb))) {
        // A word directly after `/hc` is parsed as its verb.
        if (verb === '' && !rest.startsWith('--')) continue
        const meant = await resolveEffect(resolve, `${line} ${rest}`)
        expect(await resolveEffect(resolve, `/${command} ${word} ${rest}`), `${word} ${rest}`).toEqual(meant)
        expect(await resolveEffect(resolve, `/${command} ${word.toUpperCase()} ${rest}`)).toEqual(meant)
        understood += Number(typeof meant === 'object' && meant !== null && 'verb' in meant)
      }
    }
    expect(synonyms.length).toBeGreaterThan(50)
    expect(understood).toBeGreaterThan(synonyms.length)
  })

  it('keeps the environment that was typed', async () => {
    await using world = await startWorld()
    const resolve = createResolveLine(world.app.routes)
    for (const { command, word, lines, runs } of listSynonyms(world.app.routes)) {
      const typed = await resolveEffect(resolve, `/${command} ${word} --env ote`)
      if (runs) expect(typed, word).toMatchObject({ environment: 'ote' })
      else
        for (const { line } of (typed as { offers: { line: string }[] }).offers)
          expect(line, lines.join()).toMatch(/ --env ote$|^\/[a-z-]+ help$/)
    }
  })

  it('keeps the typed words in each suggestion whose verb accepts them', async () => {
    await using world = await startWorld()
    const resolve = createResolveLine(world.app.routes)
    for (const { command, word, lines } of listSynonyms(world.app.routes).filter(({ runs }) => !runs)) {
      const { offers } = (await resolveEffect(resolve, `/${command} ${word} web*`)) as {
        offers: { line: string }[]
      }
      const suggested = offers.map(({ line }) => line).filter((line) => !/ help$| show "/.test(line))
      expect(offers.length, word).toBeLessThanOrEqual(3)
      for (const line of suggested) {
        if (lines.some((one) => line === `${one} web*`)) continue
        expect(lines).toContain(line)
        expect(await resolveEffect(resolve, `${line} web*`), line).toHaveProperty('offers')
      }
    }
  })
})

describe('a synonym', () => {
  const verb = (usage: string, synonyms = {}) => ({
    usage,
    does: '',
    needs: 'viewer' as const,
    synonyms,
    run: () => Promise.reject(new Error('nothing runs')),
  })

  it.each([
    { what: 'is a verb', words: { show: 'list' }, says: '“show” is a verb of /hc' },
    { what: 'has two words', words: { 'all checks': 'list' }, says: 'isn’t a single word' },
    {
      what: 'matches no verb',
      words: { ls: 'lits' },
      says: '“ls” of /hc is a synonym of “lits”, which isn’t a command.',
    },
    { what: 'suggests no verb', words: { ls: ['/nope list'] }, says: 'which isn’t a command' },
    {
      what: 'matches two verbs',
      words: { also: 'list' },
      says: '“also” is a synonym of both “show” and “list” of /hc.',
    },
  ])('is refused when it $what', ({ words, says }) => {
    const routes = createRoutes()
    routes.verb(verb('/hc'))
    routes.verb(verb('/hc show NAME', { also: 'show' }))
    routes.verb(verb('/hc list', words))
    expect(() => routes.throwIfAmbiguous()).toThrow(says)
  })
})

describe('words that a verb doesn’t accept', () => {
  it.each([
    { typed: '/hc import checks.csv --env ote', says: '/hc import doesn’t take “checks.csv”.' },
    { typed: '/hc upload checks.csv --env ote', says: '/hc import doesn’t take “checks.csv”.' },
    { typed: '/hc env ote please', says: '/hc env doesn’t take “please”.' },
    { typed: '/hc undo a b c d e f g', says: '/hc undo doesn’t take “a”, “b”, “c”, “d”, “e” and 2 more.' },
    { typed: '/cert-order renew abc def', says: '/cert-order renew doesn’t take “def”.' },
  ])('are named in the error: $typed', async ({ typed, says }) => {
    await using world = await startWorld()
    const refused = await resolveEffect(createResolveLine(world.app.routes), typed)
    expect(refused).toMatchObject({ refused: says, offers: [] })
  })

  it.each([
    { typed: '/hc --env ote list', line: '/hc list --env ote' },
    { typed: '/hc status Shop checkout --env ote', line: '/hc show Shop checkout --env=ote' },
  ])('are kept in the suggested command, with the verb right after /hc: $typed', async ({ typed, line }) => {
    await using world = await startWorld()
    const { offers } = (await resolveEffect(createResolveLine(world.app.routes), typed)) as {
      offers: { line: string }[]
    }
    expect(offers.map((one) => one.line.replace('--env=', '--env '))).toEqual([
      line.replace('--env=', '--env '),
    ])
  })
})
