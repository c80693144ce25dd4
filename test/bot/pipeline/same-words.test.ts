import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

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

/** A line of each verb that takes a name, and that only reads, previews, or asks. */
const READS = [
  '/hc show Shop checkout',
  '/hc Shop checkout',
  '/hc list Shop checkout',
  '/hc down Shop checkout',
  '/hc who Shop checkout',
  '/hc alerts Shop checkout',
  '/hc history Shop checkout',
]
const CHANGES = [
  '/hc mute Shop checkout 2h',
  '/hc maintenance Shop checkout from 22:00 for 2h',
  '/hc page Shop checkout @member',
  '/hc unmute Shop checkout',
  '/hc watch Shop checkout',
  '/hc export Shop checkout',
]

/** What a list says if nothing has the name, and any other verb. */
const REFUSED =
  /No health check (?:is named|has “.*” in its name)|isn’t a command or a health check|Did you mean this|can’t leave anything out/

const ask = async (line: string): Promise<string> => {
  const [command = '', ...words] = line.split(' ')
  const { text } = await world.slack.admin.command(command, words.join(' '), { channel: 'general' })
  // When, and which line it was read as, make no difference.
  return text
    .replace(/^Signalman read this as:\s+\S.*\s+/, '')
    .replaceAll(/<!date[^>]*>|\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID')
    .trim()
}

it.each(READS)('a question mark and small words make no difference: %s', async (line) => {
  const meant = await ask(line)
  expect(meant).not.toMatch(REFUSED)
  for (const typed of [
    `${line}?`,
    `${line} ?`,
    `${line} please`,
    `please ${line}`.replace('please /hc ', '/hc please '),
    `${line} pls?`,
    ...['in', 'for', 'of', 'to', 'the', 'me the'].map((small) => line.replace('Shop', `${small} Shop`)),
  ])
    expect(await ask(typed), typed).toBe(meant)
})

/** Nobody can be paged about what is up. */
const OFFERED = CHANGES.filter((line) => !line.startsWith('/hc page'))

it.each(OFFERED)('with a small word that isn’t its own, an act is offered, not done: %s', async (line) => {
  for (const typed of [`${line} please`, line.replace('Shop', 'the Shop'), line.replace('Shop', 'of Shop')]) {
    const text = await ask(typed)
    expect(text, typed).toMatch(/Did you mean this/)
    expect(text.replaceAll(/[\u2060"]|for /g, ''), typed).toContain(line.replace('for ', ''))
  }
  // Whose, and where: no change is made without these.
  for (const small of ['in', 'my'])
    expect(await ask(line.replace('Shop', `${small} Shop`))).toContain(`“${small} Shop checkout`)
})

it.each([...READS, ...CHANGES])('a word that nobody knows is refused in its own words: %s', async (line) => {
  for (const word of ['now', 'soon', 'frob']) {
    const typed = line.replace('Shop checkout', `Shop checkout ${word}`)
    const text = await ask(typed)
    // A name without a verb may be a sentence.
    if (line === '/hc Shop checkout') expect(text, typed).toMatch(/^Press one.*Show Shop checkout/s)
    else expect(text.match(REFUSED) ? text : '', typed).toContain(word)
  }
})

it.each([...READS, ...CHANGES].filter((line) => !line.startsWith('/hc watch')))(
  'can’t leave anything out, and says so: %s',
  async (line) => {
    const typed = line
      .replace('Shop checkout', 'Media* except newsroom')
      .replace(/^\/hc Media/, '/hc show Media')
    expect(await ask(typed), typed).toContain('can’t leave anything out')
  },
)

it.each([
  ['/hc mute Media 2h', 'No health check is named “Media”. Did you mean one of these?'],
  ['/hc mute Media 30', 'No health check is named “Media 30”.'],
  ['/hc mute Media 2h soon', 'No health check is named “Media 2h soon”.'],
])('a part of a name is no whole one, and what is behind it is said: %s', async (typed, said) => {
  expect(await ask(typed)).toContain(said)
})

it('acts on no line with a question mark', async () => {
  for (const line of CHANGES) {
    expect(await ask(`${line}?`), line).toMatch(/may be a question|Did you mean/)
    expect(await world.service.requests('PUT')).toEqual([])
  }
})

it.each([
  ['/hc list in Media', '/hc list Media'],
  ['/hc whats down in Shop checkout', '/hc down Shop checkout'],
  ['/hc down everything', '/hc down'],
])('nor do other words for the same: %s', async (typed, meant) => {
  expect(await ask(typed)).toBe(await ask(meant))
})
