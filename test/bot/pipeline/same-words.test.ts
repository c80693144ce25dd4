import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'
import { readTypedLine } from '../grammar/real-verbs.ts'

/** Shared: nothing here changes anything. */
let world: World
beforeAll(async () => {
  world = await startWorld({
    checks: ['Shop checkout', 'Media newsroom', 'Media player'].map((name) => ({
      name,
      status: 'HEALTHY' as const,
    })),
  })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A line of each verb that takes a name: what only reads, and what changes something, previews, or asks. */
const READS = ['show', '', 'list', 'down', 'who', 'alerts', 'history'].map((verb) =>
  `${verb} Shop checkout`.trim(),
)
const CHANGES = [
  'mute Shop checkout 2h',
  'maintenance Shop checkout from 22:00 for 2h',
  'page Shop checkout @member',
  'unmute Shop checkout',
  'watch Shop checkout',
  'export Shop checkout',
]

/** Nobody can be paged about what is up. */
const OFFERED = CHANGES.filter((line) => !line.startsWith('page'))

const ask = async (line: string): Promise<string> => {
  const { text } = await world.slack.admin.command('/hc', line, { channel: 'general' })
  // When, and which line it was read as, make no difference.
  return text
    .replace(/^Signalman read this as:\s+\S.*\s+/, '')
    .replaceAll(/<!date[^>]*>|\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
    .replaceAll(/[\u2060"]|(?<= )for (?=\d)/g, '')
    .trim()
}

const quote = (open: string, close: string) => (line: string) =>
  line.replace('Shop checkout', `${open}Shop checkout${close}`)

type Way = readonly [what: string, type: (line: string) => string]
const before = (word: string) => (line: string) => line.replace('Shop', `${word} Shop`)
const behind = (word: string) => (line: string) => line.replace('Shop checkout', `Shop checkout ${word}`)

/** The same meaning in each verb: what reads answers the same, and a change is offered. */
const SAME: readonly Way[] = [
  ['a question mark', (line) => `${line}?`],
  ['a question mark apart', (line) => `${line} ?`],
  ['please', (line) => `${line} please`],
  ['please before it', (line) => `please ${line}`],
  ['for NAME', before('for')],
  ['of NAME', before('of')],
  ['to NAME', before('to')],
  ['the NAME', before('the')],
]
/** In what reads only: a change says whose, and where. */
const SAME_IN_READS: readonly Way[] = [
  ['in NAME', before('in')],
  ['me the NAME', before('me the')],
]
/** Spellings of the same line. */
const SPELLINGS: readonly (readonly [string, (line: string) => string, (line: string) => string])[] = [
  ['typographic quotes', quote('“', '”'), quote('"', '"')],
  ['low quotes', quote('„', '“'), quote('"', '"')],
  ['a long dash', (line) => `${line} —env ote`, (line) => `${line} --env ote`],
  ['two dashes of different kinds', (line) => `${line} –-env ote`, (line) => `${line} --env ote`],
  ['an equals sign', (line) => `${line} --env=ote`, (line) => `${line} --env ote`],
]
/** Refused in each verb, or kept as a part of the name. */
const REFUSED: readonly Way[] = [
  ...['now', 'soon', 'mine', 'tonight', 'frob'].map((word) => [word, behind(word)] as const),
  ['every minute', behind('every minute')],
  ['of X to Y', before('port of')],
  ['from … to …', behind('from Media to Media')],
]

const said =
  /^(?:No health check|Did you mean|Press one of these|This ends in|Signalman can’t read|None of|`?\/hc \w+`? (?:takes|doesn’t take|can’t))/

it.each(SAME.concat(SAME_IN_READS))('means the same in whatever reads: %s', async (_, type) => {
  for (const line of READS) {
    const meant = await ask(line)
    expect(meant, line).not.toMatch(said)
    expect(await ask(type(line)), type(line)).toBe(meant)
  }
})

it.each(SAME)('is offered in whatever changes something, and nothing happens: %s', async (_, type) => {
  for (const line of OFFERED) {
    const text = await ask(type(line))
    expect(text, type(line)).toMatch(/Did you mean this|may be a question/)
    expect(text, type(line)).toContain(line.replace(/for (?=\d)/, ''))
  }
  expect(await world.service.requests('PUT')).toEqual([])
})

it.each(SAME_IN_READS)('isn’t left out of a change: %s', async (_, type) => {
  for (const line of OFFERED) expect(await ask(type(line)), type(line)).not.toMatch(/Did you mean this/)
})

it.each(SPELLINGS)('is only a spelling: %s', async (_, type, spell) => {
  for (const line of READS.concat(CHANGES)) {
    const { reading, isAct } = await readTypedLine(`/hc ${type(line)}`)
    const meant = await readTypedLine(`/hc ${spell(line)}`)
    expect(reading, line).toBeDefined()
    expect([reading, isAct]).toEqual([meant.reading, meant.isAct])
  }
})

it.each(REFUSED)('is refused in whatever has no such word: %s', async (what, type) => {
  for (const line of READS.concat(CHANGES)) {
    const [verb = ''] = line.split(' ')
    const text = await ask(type(line))
    // These are a verb’s own words.
    if (['tonight', 'from … to …', 'every minute'].includes(what) && /^(?:maintenance|history)/.test(verb))
      continue
    expect(text, type(line)).toMatch(said)
  }
})

it.each(READS.concat(CHANGES).filter((line) => !line.startsWith('watch')))(
  'can’t leave anything out, and says so: %s',
  async (line) => {
    const typed = line.replace('Shop checkout', 'Media* except newsroom').replace(/^Media/, 'show Media')
    expect(await ask(typed), typed).toContain('can’t leave anything out')
  },
)

it('takes an environment that has no such health check at its word', async () => {
  for (const line of READS.concat(CHANGES).filter(
    (each) => each !== 'list Shop checkout' && each !== 'down Shop checkout',
  ))
    expect(await ask(`${line} --env ote`), line).toMatch(/\(OTE\)|OTE/)
})

it.each([
  ['list in Media', 'list Media'],
  ['whats down in Shop checkout', 'down Shop checkout'],
  ['down everything', 'down'],
  ['down all', 'down'],
])('nor do other words for the same: %s', async (typed, meant) => {
  expect(await ask(typed)).toBe(await ask(meant))
})
