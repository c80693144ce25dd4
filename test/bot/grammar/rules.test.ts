import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '@signalman/runtime'
import { describe, expect, it, vi } from 'vitest'
import { flagType, isRepeatable, typedFlags } from '../../../src/bot/grammar/flags.ts'
import { findMeant } from '../../../src/bot/grammar/sentence.ts'
import { SENTENCES } from '../../../src/bot/grammar/sentences.ts'
import { readTyped } from '../../../src/bot/routes/read-typed.ts'
import { createResolveLine, splitCommand, toWritten } from '../../../src/bot/routes/resolve-line.ts'
import { type RouteTable, type Verb, verbName } from '../../../src/bot/routes/routes.ts'
import { findCheckId } from '../../../src/domain/find-check.ts'
import type { NamedCheck } from '../../../src/domain/mistyped-check-name.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { startWorld } from '../../world.ts'

const readTable = (file: string): string[][] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((row) => row.split('\t'))

const MISTYPED_LINES = quickOrLong('MISTYPED_LINES', { quick: 300, long: 10_000 })

/** Lines that people type to similar bots, and the line that each means. Collected before the grammar read them. */
const COLLECTED = readTable('collected-lines.tsv').map(([, typed = '', wanted = '']) => ({ typed, wanted }))

/**
 * The last set, chosen to be hard: mistakes, other countries’ dates, what phones add, several names. `first` says what happened when
 * the grammar saw the line for the first time: `right`, `asked` (nothing was done, and the answer asked or suggested something), or
 * `wrong` (it acted on something else, or hid rows). `reads` is how the line is read where that isn’t as wanted.
 */
const FRESH = readTable('fresh-lines.tsv').map(([, typed = '', wanted = '', first = '', reads = '']) => ({
  typed,
  wanted: reads || wanted,
  first,
}))

/** The routes of an app, which don't change. The first test that reads lines starts and stops one for them. */
let routesOfApp: Promise<RouteTable> | undefined
async function loadRoutes(): Promise<RouteTable> {
  await using world = await startWorld()
  return world.app.routes
}

/** When the lines were collected. Some have dates, such as Sunday 29 November, which another year doesn't have. */
const NOW = Date.UTC(2026, 10, 25, 12)

async function withRoutes(test: (routes: RouteTable) => Promise<void> | void): Promise<void> {
  routesOfApp ??= loadRoutes()
  const routes = await routesOfApp
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  try {
    await test(routes)
  } finally {
    vi.useRealTimers()
  }
}

/** What a typed line does: the verb and its values; for a refused line, the suggested lines. */
async function describeTyped(
  routes: RouteTable,
  typed: string,
): Promise<{ text: string; offers: string[]; message?: string | undefined }> {
  const resolved = createResolveLine(routes)(splitCommand(typed), { isTyped: true })
  if ('verb' in resolved) {
    const { args, isAct, mayChange, name, otherwise } = resolved
    // `checks`, `only`, and the like change nothing.
    const { noun, ...read } = { ...args.values, ...args.flags, ...args.lists }
    const values = Object.entries(read)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, value]) => (value === true ? key : `${key}=${value}`))
    // Some verbs read their words themselves.
    const words = values.length === 0 && noun === undefined ? args.words : []
    const text = [isAct ? 'act' : mayChange ? 'window' : 'run', name, ...values, ...words].join(' ')
    // What is suggested if nothing has the name.
    return { text, offers: otherwise ? listOffers(otherwise) : [], message: otherwise?.message }
  }
  const error = await resolved.resolve().catch((thrown: unknown) => thrown)
  if (!(error instanceof UserError)) throw error
  return { text: 'refused', offers: listOffers(error), message: error.message }
}

/** The suggested lines. The last one is the help of the command. */
const listOffers = ({ suggestions }: UserError): string[] =>
  suggestions.map(({ line }) => line).filter((line) => !/^\/\S+ help$/.test(line))

it('reads the lines that people type to similar bots', () =>
  withRoutes(async (routes) => {
    for (const { typed, wanted } of COLLECTED) {
      const { text, offers } = await describeTyped(routes, typed)
      const [, offered] = /^offer (.*)$/.exec(wanted) ?? []
      if (offered !== undefined) expect(offers, typed).toContain(offered)
      else expect(text, typed).toBe(wanted === 'refuse' ? 'refused' : wanted)
    }
    expect(COLLECTED.length).toBeGreaterThanOrEqual(180)
  }))

it('takes a quoted word for a name, even before a time that it could belong to', () =>
  withRoutes(async (routes) => {
    const { text } = await describeTyped(routes, '/hc mute "until" 14h30')
    expect(text).toBe('act /hc mute check=until for=14h30')
  }))

it('reads “quiet” with only a time of day as a mute until then', () =>
  withRoutes(async (routes) => {
    const { text } = await describeTyped(routes, '/hc quiet until 7am')
    expect(text).toBe('act /hc mute until=7am')
  }))

/** The checks that the lines are about. */
const KNOWN =
  /check=(?:Shop checkout|Shop cache|Shop test|Bank open API|Group wiki|Outlet stock feed)(?: \w+=|$)/i

it('reads a set of hard lines as wanted, or asks', () =>
  withRoutes(async (routes) => {
    for (const { typed, wanted } of FRESH) {
      const { text, offers } = await describeTyped(routes, typed)
      const [, offered] = /^offer (.*)$/.exec(wanted) ?? []
      // No check has the name, so nothing is done, and names like it are suggested.
      if (wanted === 'ask') expect(text === 'refused' || !KNOWN.test(text), `${typed}: ${text}`).toBe(true)
      else if (offered !== undefined) expect(offers, typed).toContain(offered)
      else expect(text, typed).toBe(wanted === 'refuse' ? 'refused' : wanted)
    }
    const count = (first: string) => FRESH.filter((line) => line.first === first).length
    expect({ right: count('right'), asked: count('asked'), wrong: count('wrong') }).toEqual({
      right: 40,
      asked: 17,
      wrong: 3,
    })
  }))

/**
 * More sets, with every outcome that is equally right. Collected by people who hadn't seen the grammar; `first` and `reads` are as
 * above. The practice lines were used to mend kinds of lines. The held-back ones were collected before that, and run after it: the
 * third set after the kinds that the first two showed were mended, and so on.
 */
const readSets = (file: string) =>
  readTable(file).map(([source = '', typed = '', wanted = '', first = '', reads = '']) => ({
    source,
    typed,
    wanted: reads ? [reads] : wanted.split(' OR '),
    first,
  }))

/** Whether a typed line has an outcome: `run …`, `act …`, `window …`, `offer LINE`, `ask`, or `refuse`. */
async function hasOutcome(routes: RouteTable, typed: string, wanted: string): Promise<boolean> {
  const { text, offers } = await describeTyped(routes, typed)
  const [, offered] = /^offer (.*)$/.exec(wanted) ?? []
  if (offered === undefined)
    return /^(?:ask|refuse)$/.test(wanted) ? text === 'refused' || !KNOWN.test(text) : text === wanted
  // The same line may be written with or without quotes.
  const meant = await describeTyped(routes, offered)
  const found = await Promise.all(offers.map((offer) => describeTyped(routes, offer)))
  return (
    offers.includes(offered) ||
    found.some((reading) => reading.text.toLowerCase() === meant.text.toLowerCase())
  )
}

it.each([
  { file: 'practice-lines.tsv', set: '', runs: { right: 105, asked: 44, wrong: 11 } },
  { file: 'held-back-lines.tsv', set: 'a: ', runs: { right: 56, asked: 1, wrong: 3 } },
  { file: 'held-back-lines.tsv', set: 'b: ', runs: { right: 58, asked: 1, wrong: 1 } },
  { file: 'held-back-lines.tsv', set: 'd: ', runs: { right: 40, asked: 19, wrong: 1 } },
  { file: 'held-back-lines.tsv', set: 'f: ', runs: { right: 48, asked: 10, wrong: 2 } },
  { file: 'held-back-lines.tsv', set: 'e: ', runs: { right: 50, asked: 9, wrong: 1 } },
  { file: 'held-back-lines.tsv', set: 'g: ', runs: { right: 53, asked: 7, wrong: 0 } },
  { file: 'held-back-lines.tsv', set: 'h: ', runs: { right: 56, asked: 4, wrong: 0 } },
  { file: 'held-back-lines.tsv', set: 'c: ', runs: { right: 54, asked: 5, wrong: 1 } },
])('reads the lines of $file $set as wanted, or asks', ({ file, set, runs }) =>
  withRoutes(async (routes) => {
    const lines = readSets(file).filter(({ source }) => source.startsWith(set))
    const wrong: string[] = []
    for (const { typed, wanted } of lines) {
      const outcomes = await Promise.all(wanted.map((outcome) => hasOutcome(routes, typed, outcome)))
      if (!outcomes.includes(true)) wrong.push(`${typed}: ${(await describeTyped(routes, typed)).text}`)
    }
    expect(wrong).toEqual([])
    const count = (first: string) => lines.filter((line) => line.first === first).length
    expect({ right: count('right'), asked: count('asked'), wrong: count('wrong') }).toEqual(runs)
  }),
)

it.each([
  ['/hc history web --days 7', true],
  ['/hc history web --days 24h', false],
  ['/hc list --limit many', false],
  ['/hc edit web --set-port https', false],
  ['/cert-order list --page two', false],
])('counts %s as understood: %s', (line, expected) =>
  withRoutes(async (routes) => expect(toWritten(routes, line)).toBe(expected ? line : undefined)),
)

/** Lines of the same kinds as those that weren't understood at first, and what each means. */
const REWORDED = readTable('reworded-lines.tsv').map(([typed = '', outcome = '']) => ({ typed, outcome }))

it('understands the same in other words', () =>
  withRoutes(async (routes) => {
    for (const { typed, outcome } of REWORDED)
      expect(await hasOutcome(routes, typed, outcome), `${typed}: ${outcome}`).toBe(true)
    expect(REWORDED.length).toBeGreaterThan(200)
  }))

/** Lines that were read wrong once, with others of their kind: exactly what each does, and which lines it suggests, in order. */
const MENDED = readTable('mended-lines.tsv').map(([typed = '', text = '', ...offers]) => ({
  typed,
  text,
  offers,
}))

it('reads lines of the kinds that were read wrong once, and suggests the likeliest first', () =>
  withRoutes(async (routes) => {
    for (const { typed, text, offers } of MENDED) {
      const read = await describeTyped(routes, typed)
      expect({ typed, text: read.text, offers: read.offers.slice(0, 2) }).toEqual({ typed, text, offers })
      for (const offer of read.offers) expect(toWritten(routes, offer), `${typed}: ${offer}`).toBe(offer)
    }
    expect(MENDED.length).toBeGreaterThan(100)
  }))

it.each([', ', ' '])('writes a few suggestions for hundreds of names with “%s” between them', (joint) =>
  withRoutes(async (routes) => {
    const names = Array.from({ length: 300 }, (_, nth) => (joint === ' ' ? `"n${nth}"` : `n${nth}`))
    const { text, offers } = await describeTyped(routes, `/hc list ${names.join(joint)}`)
    expect(text).toBe('refused')
    expect(offers).toContain('/hc list "n0"')
    expect(offers.length).toBeLessThan(10)
  }),
)

it('cuts a long question at 120 characters, but not the line of its button', () =>
  withRoutes(async (routes) => {
    const name = 'n'.repeat(112)
    const { message, offers } = await describeTyped(routes, `/hc delete_${name}`)
    expect(message).toBe(`Did you mean “/hc delete ${'n'.repeat(108)}…”?`)
    expect(offers).toEqual([`/hc delete ${name}`])
  }))

it.each([
  ['"web 1", "web 2"', '“web 1” and “web 2”', ['"web 1 , web 2"', '"web 1"', '"web 2"']],
  ['"web 1" ; "web 2"', '“web 1” and “web 2”', ['"web 1 ; web 2"', '"web 1"', '"web 2"']],
  ['"web 1","web 2"', '“web 1” and “web 2”', ['"web 1 , web 2"', '"web 1"', '"web 2"']],
  ['“a”;“b”', '“a” and “b”', ['"a ; b"', '"a"', '"b"']],
  ['"web 1" and "web 2"', '“web 1” and “web 2”', ['"web 1 and web 2"', '"web 1"', '"web 2"']],
  ['"a" "b" "c"', '“a”, “b”, and “c”', ['"a b c"', '"a"', '"b"', '"c"']],
  ['and "web 1"', '“and” and “web 1”', ['"and web 1"', 'and', '"web 1"']],
  [
    '"a" "b" "c" "d" "e" "f"',
    '“a”, “b”, “c”, “d”, and 2 more',
    ['"a b c d e f"', '"a"', '"b"', '"c"', '"d"', '"e"', '"f"'],
  ],
])('names what was typed where one name is taken: %s', (typed, names, lines) =>
  withRoutes(async (routes) => {
    const { message, offers } = await describeTyped(routes, `/hc delete ${typed}`)
    expect(message).toContain(`takes one name, not ${names}.`)
    expect(offers).toEqual(lines.map((line) => `/hc delete ${line}`))
  }),
)

it.each([
  ['show 1 2', '“1” and “2”', ['1', '2']],
  ['approve 1 2 3', '“1”, “2”, and “3”', ['1', '2', '3']],
  ['approve 1, 2 and #3', '“1”, “2”, and “#3”', ['1', '2', '#3']],
])('names every number where one is taken: /cert-order %s', (typed, numbers, lines) =>
  withRoutes(async (routes) => {
    const { message, offers } = await describeTyped(routes, `/cert-order ${typed}`)
    expect(message).toBe(`/cert-order ${typed.split(' ')[0]} takes one number, not ${numbers}.`)
    expect(offers).toEqual(lines.map((line) => `/cert-order ${typed.split(' ')[0]} ${line}`))
  }),
)

it('names a few of hundreds of names', () =>
  withRoutes(async (routes) => {
    const names = Array.from({ length: 300 }, (_, nth) => `n${nth}`)
    for (const joint of [', ', ' and '])
      expect((await describeTyped(routes, `/hc list ${names.join(joint)}`)).message).toBe(
        '/hc list takes one name, not “n0”, “n1”, “n2”, “n3”, and 296 more.',
      )
  }))

it.each([
  ['/threat queue unassigned older than 2 days', '/threat queue doesn’t take “older”, “than”, “2”, “days”.'],
  [
    '/threat queue everything',
    '“everything” isn’t a state. Use open, taken, takedown-sent, down, or false-positive.',
  ],
  ['/hc let me know when X and Y are back', '/hc has no command “let”.'],
  ['/hc Shop history', '/hc has no command “Shop”. Did you mean /hc history Shop?'],
])('suggests only words and lines that the verb takes: %s', (typed, message) =>
  withRoutes(async (routes) => expect((await describeTyped(routes, typed)).message).toBe(message)),
)

it('offers the verb of another command', () =>
  withRoutes(async (routes) => {
    const { message, offers } = await describeTyped(routes, '/hc approve 3')
    expect(message).toBe('“approve” is a command of /cert-order.')
    expect(offers).toEqual(['/cert-order approve 3'])
  }))

it('splits no quoted word into a verb and its words', () =>
  withRoutes(async (routes) => {
    expect((await describeTyped(routes, '/hc list_down')).text).toBe('run /hc list status=UNHEALTHY')
    expect((await describeTyped(routes, '/hc "list_down"')).text).toBe('run /hc show check=list_down')
  }))

it('suggests no verb about a check for a line about a person', () =>
  withRoutes(async (routes) => {
    expect((await describeTyped(routes, '/hc shop 2h')).offers).toEqual(['/hc mute shop 2h'])
    expect((await describeTyped(routes, '/hc "shop" @bob 2h')).offers).toEqual([])
  }))

// `silence add` is one verb.
const CONNECTING =
  /^(?:add|checks|for|from|until|by|to|last|please|since|the|next|and|at|in|but|not|order|of)$/

it('drops no word: without any one of them, a line that runs does something else', () =>
  withRoutes(async (routes) => {
    let removed = 0
    for (const { typed, wanted } of COLLECTED.filter(({ wanted }) => /^(?:run|act|window) /.test(wanted))) {
      if (
        /[“”"'‘’]/.test(typed) ||
        SENTENCES.some((sentence) => findMeant(sentence, typed.replace(/^\/\S+ |\?$/g, '')))
      )
        continue
      const words = typed.split(' ')
      for (const [index, word] of words.entries()) {
        // A connecting word, `please`, or a flag whose value says what it is.
        if (index < 2 || CONNECTING.test(word) || /^[-–—]/.test(word)) continue
        const shorter = words.filter((_, at) => at !== index).join(' ')
        expect((await describeTyped(routes, shorter)).text, `${typed} without ${word}`).not.toBe(wanted)
        removed += 1
      }
    }
    expect(removed).toBeGreaterThan(60)
  }))

const DIRECTION_MARKS = ['\u200e', '\u200f', '\u202b', '\u202c', '\u2067', '\u2069']

it('undoes what keyboards and Slack do to a line', () =>
  withRoutes(async (routes) => {
    const random = createRandom(20_261_126)
    const manglings: ((typed: string) => string)[] = [
      (typed) => typed.replaceAll('"', '“'),
      (typed) => typed.replace(/ --/g, ' —'),
      (typed) => typed.replace(/ --/g, ' ––'),
      (typed) => typed.replaceAll(' ', '\u00a0 ').replace(/^(\/\S+)\u00a0 /, '$1 '),
      (typed) =>
        typed.replace(
          /^(\/\S+ )(\w)/,
          (_, command: string, letter: string) => command + letter.toUpperCase(),
        ),
      (typed) => (/[\w*]$/.test(typed) ? `${typed}.` : typed),
      (typed) => `${typed} please`,
      // Copied from a text that is written from right to left. Slack writes its own markup.
      (typed) =>
        /[<&]/.test(typed)
          ? typed
          : typed.replace(/(?<=^\/\S+ .*)./g, (character) =>
              random.below(3) === 0 ? random.oneOf(DIRECTION_MARKS) + character : character,
            ),
    ]
    let tried = 0
    for (const { typed, wanted } of COLLECTED.filter(({ wanted }) => /^(?:run|act|window) /.test(wanted)))
      for (const mangle of manglings) {
        const mangled = mangle(typed)
        // An address may end in a full stop, and a quote inside a word is part of it.
        if (/[’']|https?:| [-—–]+ /.test(mangled)) continue
        // Free text is kept as typed.
        if (/^\/(?:cert-order (?:ask|reject|reply)|threat note) \S+ \S/i.test(mangled)) continue
        const { text } = await describeTyped(routes, mangled)
        expect(text.toLowerCase(), mangled).toBe(wanted.toLowerCase())
        tried += 1
      }
    expect(tried).toBeGreaterThan(889)
  }))

it('suggests only lines that can be read, and `all` only if no name was typed', () =>
  withRoutes(async (routes) => {
    const refused = [
      '/hc list shop --staus down',
      '/hc Group wiki 15m',
      '/hc down since yesterday',
      '/hc edit Shop frequency 30',
      '/hc mute "a" "b" 2h',
      '/hc mute Shop "until Monday 9:00"',
      '/hc recipients bob@example.com --remove=no',
      '/hc watch Shop* --me=yes',
      '/hc mute Shop 2h 3h until 31/12/2026',
      '/cert-order show 1 2',
    ]
    for (const typed of refused) {
      const { text, offers } = await describeTyped(routes, typed)
      expect(text, typed).toBe('refused')
      for (const offer of offers) {
        expect(toWritten(routes, offer), offer).toBe(offer)
        expect(offer, typed).not.toMatch(/ all(?: |$)/)
      }
    }
  }))

it('refuses a switch with a value, and a flag that is repeated, misspelt, or without its value', () =>
  withRoutes((routes) => {
    let tried = 0
    for (const verb of routes.verbs.filter(({ hidden }) => !hidden))
      for (const [flag, spec] of typedFlags(verb.flags))
        for (const typed of listMistakes(flag, flagType(spec.type))) {
          const read = () => readTyped(routes, verb.command, `${verb.verb} ${typed}`)
          expect(read, `${verbName(verb)} ${typed}`).toThrow(UserError)
          tried += 1
        }
    expect(tried).toBeGreaterThan(200)
  }))

/** Wrong ways to type a flag. */
function listMistakes(flag: string, type: ReturnType<typeof flagType>): string[] {
  if (type === 'switch')
    return [...['no', 'yes', '1', 'maybe'].map((given) => `--${flag}=${given}`), `--${flag} --${flag}`]
  const value = Array.isArray(type) ? String(type[0]) : '7'
  const mistakes = [`--${flag}`, `--${flag}x ${value}`]
  return isRepeatable(type) ? mistakes : [...mistakes, `--${flag} ${value} --${flag} ${value}`]
}

it('reads a kind word within a name as part of it, and the words next to a star as part of a pattern', () =>
  withRoutes(async (routes) => {
    for (const [typed, wanted] of [
      ['/hc mute Shop down cache 2h', 'act /hc mute check=Shop down cache for=2h'],
      ['/hc list Shop up till', 'run /hc list name=Shop up till'],
      ['/hc mute Bank open* 2h', 'act /hc mute for=2h pattern=Bank open*'],
      ['/hc watch web-* "api *"', 'act /hc watch name=web-*,api *'],
      ['/hc mute Shop 2h 3h', 'refused'],
    ] as const)
      expect((await describeTyped(routes, typed)).text, typed).toBe(wanted)
  }))

it('reads `all checks` as all of them, and the noun of a list as no filter', () =>
  withRoutes(async (routes) => {
    for (const [typed, wanted] of [
      ['/hc mute all health checks 2h', 'act /hc mute all=all for=2h'],
      ['/hc unmute all of the checks', 'act /hc unmute all=all'],
      ['/hc list all monitors', 'run /hc list'],
      ['/hc list down health checks', 'run /hc list status=UNHEALTHY'],
      ['/hc list shop checks', 'run /hc list name=shop'],
      // These may be names.
      ['/hc mute health checks 2h', 'act /hc mute check=health checks for=2h'],
      ['/hc unmute all the things', 'refused'],
    ] as const)
      expect((await describeTyped(routes, typed)).text, typed).toBe(wanted)
  }))

it('never takes a time for part of a pattern, or a start for a length', () =>
  withRoutes(async (routes) => {
    for (const [typed, offers] of [
      ['/hc watch Shop* for 2h', []],
      ['/hc watch Shop* --me in 10m', []],
      ['/hc unmute Shop* tomorrow', []],
      ['/hc mute Shop* 22:00-23:00', ['/hc maintenance Shop* 22:00-23:00']],
      ['/hc mute "Group wiki" in 2h', ['/hc mute "Group wiki" for 2h', '/hc maintenance "Group wiki" in 2h']],
      ['/hc grant @bob operator in 2h', ['/hc grant @bob operator for 2h']],
      ['/hc grant @bob operator 8:30', []],
    ] as const)
      expect(await describeTyped(routes, typed), typed).toMatchObject({ text: 'refused', offers })
    const later = '/hc maintenance "Group wiki" in 2 hours for 1h'
    expect((await describeTyped(routes, later)).text).toBe(
      'act /hc maintenance check=Group wiki for=1h from=in 2 hours',
    )
  }))

it('reads a line that begins with its command again, and suggests that of another command', () =>
  withRoutes(async (routes) => {
    expect((await describeTyped(routes, '/hc /hc down')).text).toBe('run /hc list status=UNHEALTHY')
    const other = await describeTyped(routes, '/hc /cert-order list mine')
    expect(other).toMatchObject({ text: 'refused', offers: ['/cert-order list mine'] })
    const mistyped = await describeTyped(routes, '/cert-order aprove 12')
    expect(mistyped).toMatchObject({ text: 'refused', offers: ['/cert-order approve 12'] })
  }))

it('reads words in quotes as a name', () =>
  withRoutes(async (routes) => {
    for (const name of [
      'all',
      'down',
      '2h',
      'today',
      'http',
      'me',
      'forever',
      'Monday 9:00',
      '--me',
      'until',
    ])
      expect((await describeTyped(routes, `/hc mute "${name}" 2h`)).text).toBe(
        `act /hc mute check=${name} for=2h`,
      )
    expect((await describeTyped(routes, '/hc list "down"')).text).toBe('run /hc list name=down')
  }))

/** The verb of a sentence's line. A line of only an ID is one of the bare command. */
function findVerbOf(routes: RouteTable, line: string): { command: string; verb: Verb | undefined } {
  const [, command = '', word = ''] = /^\/(\S+) ?(\S*)/.exec(line) ?? []
  const verb = routes.findWords(command).get(word) ?? routes.findVerbs(command)?.get(word)
  return { command, verb }
}

it('has no sentence that begins with a verb, and none that acts', () =>
  withRoutes(async (routes) => {
    for (const sentence of SENTENCES) {
      const { line, isOffer } = sentence
      const { command, verb } = findVerbOf(routes, line)
      expect(verb, line).toBeDefined()
      // Lines that begin with a verb of several words aren't read as sentences.
      for (const name of [...routes.findWords(command).keys()].filter((words) => !words.includes(' ')))
        expect(findMeant(sentence, `${name} Shop`), `${name} ${sentence.pattern}`).toBeUndefined()
      if (!isOffer && verb?.isAct === true)
        expect((await describeTyped(routes, `/${command} tell me when Shop goes down`)).text).toBe('refused')
    }
  }))

const NAMES = ['Shop checkout', 'Shop cache', 'Bank open API', 'all', 'Shop*', 'down', 'web', '2h']
const CHECKS: NamedCheck[] = NAMES.map((name, index) => ({
  uuid: `00000000-0000-4000-8000-00000000000${index}`,
  name,
  target: `https://host-${index}.example.com/login`,
}))

/** A service whose name filter is exact, and matches any part with a `*` on both sides. */
const service = {
  api: async () => ({
    healthChecks: {
      async list({ name, target }: { name?: string; target?: string }) {
        const part = /^\*(.*)\*$/.exec(name ?? '')?.[1]?.toLowerCase()
        const results = CHECKS.filter((check) =>
          target === undefined
            ? part === undefined
              ? check.name.toLowerCase() === name?.toLowerCase()
              : check.name.toLowerCase().includes(part)
            : check.target === target,
        )
        return { results, total: results.length }
      },
      async *listAll() {
        yield { results: CHECKS }
      },
      get: () => Promise.reject(new Error('not used')),
    },
  }),
}
const find = (check: string, options = {}) => findCheckId(service, { values: { check } }, String, options)

describe('a name that isn’t exact', () => {
  it('is never acted on, but suggested', async () => {
    const random = createRandom(20_261_125)
    const mangle = (name: string): string => {
      const at = random.below(name.length)
      return random.oneOf([
        name.slice(0, at) + name.slice(at + 1),
        `${name.slice(0, at)}x${name.slice(at)}`,
        `${name} 2`,
        `${name}, ${random.oneOf(NAMES)}`,
        name.slice(0, Math.max(1, at)),
      ])
    }
    for (let round = 0; round < 500; round += 1) {
      const index = random.below(NAMES.length)
      const typed = mangle(NAMES[index] ?? '')
      if (NAMES.some((name) => name.toLowerCase() === typed.toLowerCase().trim())) continue
      await expect(find(typed), typed).rejects.toThrow(/No health check is named|Which health check/)
    }
  })

  it.each([
    'https://host-0.example.com/health',
    'https://host-0.example.com',
    'host-0.example.com:443',
    'host-0.example.com/x',
    'example.com',
  ])('isn’t cut to its host: %s', async (typed) => {
    await expect(find(typed)).rejects.toThrow('No health check is named')
  })

  it.each([
    { typed: 'host-0.example.com', uuid: CHECKS[0]?.uuid },
    { typed: 'https://host-1.example.com/login', uuid: CHECKS[1]?.uuid },
    { typed: 'host-1.example.com/login', uuid: CHECKS[1]?.uuid },
    { typed: 'SHOP  CACHE', uuid: CHECKS[1]?.uuid },
  ])('is the check itself if only case, spaces, or the scheme differ: $typed', async ({ typed, uuid }) => {
    expect(await find(typed.replace('  ', ' '))).toBe(uuid)
  })

  it('finds the only check with it in its name for a read', async () => {
    expect(await find('checkout', { reads: true })).toBe(CHECKS[0]?.uuid)
    await expect(find('shop', { reads: true })).rejects.toThrow('3 health checks match “shop”.')
  })
})

/** Names of checks that are words of the grammar, or patterns. */
const AWKWARD = ['all', 'Shop*', 'down', 'web', '2h', 'Shop checkout', 'Shop cache']
/** Lines that act on a check, and what they do with one that is found. */
const ACTS = [
  'mute NAME 30m',
  'unmute NAME',
  'watch NAME',
  'maintenance NAME tomorrow 22:00 2h',
  'delete NAME',
]
/** An answer after which something has changed, or a window in which one press changes it. */
const HAS_ACTED = /^(?:Muted|Unmuted|Planned|This channel (?:now|already) watches|Delete)/

it('acts on no check with a name like the typed one, whatever checks are called', async () => {
  await using world = await startWorld({ checks: AWKWARD.map((name) => ({ name })) })
  const { member } = world.slack
  const random = createRandom(20_261_127)
  const isName = (typed: string) =>
    AWKWARD.some((name) => name.toLowerCase() === typed.toLowerCase()) || /[*"]/.test(typed)
  for (let round = 0; round < 15; round += 1) {
    const name = random.oneOf(AWKWARD)
    const at = random.below(name.length)
    const typed = random.oneOf([
      `${name.slice(0, at)}${name.slice(at + 1)}`,
      `${name.slice(0, at)}y${name.slice(at)}`,
      `${name} ${random.oneOf(AWKWARD)}`,
      `https://${name}.example.com/health`,
      `${name}.example.com:443`,
    ])
    if (typed.trim() === '' || isName(typed.trim())) continue
    const line = random.oneOf(ACTS).replace('NAME', `"${typed}"`)
    const { text, view } = await member.command('/hc', line, { channel: 'operations' })
    expect(text, line).not.toMatch(HAS_ACTED)
    expect(view, line).toBeUndefined()
  }
  // The names themselves are found in quotes, so the lines above fail for their names alone.
  for (const name of AWKWARD) {
    const { text } = await member.command('/hc', `mute "${name}" 30m`, { channel: 'operations' })
    expect(text, name).toContain(`Muted ${name} in production`)
  }
  const { text: refused } = await member.command('/hc', 'mute checks "Shop checkout" today', {
    channel: 'operations',
  })
  expect(refused.match(/^Run /gm)).toHaveLength(2)
  const silences = await member.command('/hc', 'silences', { channel: 'operations' })
  for (const name of AWKWARD) expect(silences.text, name).toContain(name)
})

it('suggests for any mistake only lines that can be read, and none that is wider than typed', () =>
  withRoutes(async (routes) => {
    const random = createRandom(readSeed())
    const verbs = [
      'mute',
      'watch',
      'unwatch',
      'unmute',
      'edit',
      'delete',
      'maintenance',
      'list',
      'history',
      'show',
    ]
    const words = [
      ...AWKWARD.map((name) => (name.includes(' ') ? `"${name}"` : name)),
      ...['until', 'tomorow', '30m', '22:00-23:00', 'in 2 hours', '--me=yes', '--staus', 'bob@example.com'],
      ...['everything', 'checks', 'port 8443', '31/12/2026', 'except', 'today', '@bob'],
    ]
    let offered = 0
    for (let round = 0; round < MISTYPED_LINES; round += 1) {
      const typed = Array.from({ length: 1 + random.below(4) }, () => random.oneOf(words))
      const line = `/hc ${random.oneOf(verbs)} ${typed.join(' ')}`
      const { offers } = await describeTyped(routes, line)
      const name = /Shop|web|bob@/
      for (const offer of offers) {
        expect(toWritten(routes, offer), `${line}: ${offer}`).toBe(offer)
        // All of them is never suggested in place of a name.
        const meant = (await describeTyped(routes, offer)).text
        expect(name.test(line) && !name.test(offer) && / all=all/.test(meant), `${line}: ${offer}`).toBe(
          false,
        )
        offered += 1
      }
    }
    expect(offered).toBeGreaterThan(MISTYPED_LINES / 8)
  }))

it('takes a name of 3,000 characters for a name', () =>
  withRoutes(async (routes) => {
    for (const verb of ['mute', 'watch', 'list', 'history', 'maintenance', 'show']) {
      const name = 'x'.repeat(2900)
      const { text } = await describeTyped(routes, `/hc ${verb} ${name}`)
      expect(text, verb).toContain(name)
    }
  }))

it('keeps the meaning of a word whatever checks are called', async () => {
  await using world = await startWorld({ checks: NAMES.map((name) => ({ name })) })
  const { member } = world.slack
  const channel = { channel: 'operations' } as const
  expect((await member.command('/hc', 'mute all 2h', channel)).text).toContain('Muted everything')
  expect((await member.command('/hc', 'unmute all', channel)).text).toContain('Unmuted everything')
  expect((await member.command('/hc', 'mute "all" 2h', channel)).text).toContain('Muted all ')
  expect((await member.command('/hc', 'mute Shop* 1h', channel)).text).toContain('Muted Shop*')
  expect((await member.command('/hc', 'list down')).text).toContain('down')
  expect((await member.command('/hc', 'mute "2h" 30m', channel)).text).toContain('Muted 2h ')
  expect((await member.command('/hc', 'mute web', channel)).text).toContain('For how long should “web”')
})
