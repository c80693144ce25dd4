import { expect, it } from 'vitest'
import { Refused } from '../../../src/bot/grammar/refused.ts'
import type { Reading } from '../../../src/bot/routes/read-line.ts'
import { readTyped } from '../../../src/bot/routes/read-typed.ts'
import { splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import { type RouteTable, verbName } from '../../../src/bot/routes/routes.ts'
import { TASKS } from '../../../src/features/help/rules/tasks.ts'
import { PAGES, readProse } from '../../docs/pages.ts'
import { listFiles, readSource } from '../../source-files.ts'
import { startWorld } from '../../world.ts'

/** Values for what stands for them on pages and in help. */
const SAMPLES: Readonly<Record<string, string>> = {
  ADDRESS: 'ann@example.com',
  'ALERT-ID': '7',
  CARD: 'a1b2c3',
  CERT_ID: '1234567890',
  DATE: '2099-12-24',
  DAY: '2099-12-24',
  DAYS: '30',
  ID: '7e57ed00-0000-4000-8000-00000000000a',
  N: '12',
  NAME: 'Shop',
  ROLE: 'operator',
  TEXT: 'checked',
  VERB: 'list',
}
const PLACEHOLDER = new RegExp(`(?<![\\w-])(?:${Object.keys(SAMPLES).join('|')})(?![\\w-])`, 'g')

/** Replaces what stands for a value. Undefined for a usage text with alternatives, and for a line that was cut short. */
function fillIn(text: string): string | undefined {
  if (/\[|\\?\||…/.test(text)) return undefined
  return text.replaceAll(PLACEHOLDER, (name) => SAMPLES[name] ?? '')
}

const LINE = /^\/(?:hc|threat|cert-order)(?: .*)?$/
const CODE = /`([^`\n]+)`/g
const listLines = (texts: Iterable<string>): string[] =>
  [...new Set(texts)].filter((text) => LINE.test(text)).flatMap((text) => fillIn(text) ?? [])

const listPageLines = (): string[] =>
  listLines(
    [...PAGES, 'docs/dev/sentences.md'].flatMap((page) =>
      [...readProse(page).matchAll(CODE)].map(([, text = '']) => text),
    ),
  )

const listHelpLines = ({ verbs }: RouteTable): string[] =>
  listLines([
    ...Object.values(TASKS).flatMap((tasks) => tasks.flatMap(([, ...lines]) => lines)),
    ...verbs.flatMap(({ command, example }) => (example === undefined ? [] : [`/${command} ${example}`])),
  ])

/** The lines that the sources write whole: of buttons, and in texts. */
const listSourceLines = (): string[] =>
  listLines(
    listFiles('src')
      .filter((file) => !file.startsWith('src/bot/grammar/'))
      .flatMap((file) => [...readSource(file).matchAll(/(['`])(\/(?:hc|threat|cert-order) [^'`$\n]+)\1/g)])
      .map(([, , text = '']) => text),
  )

/** The lines that don't begin with a verb, and what they mean. */
const WITHOUT_VERB: Readonly<Record<string, string>> = {
  '/hc down': '/hc list',
  '/hc checkout': '/hc show',
  '/hc what is down?': '/hc list',
  '/hc is Shop checkout up': '/hc show',
  '/hc who gets mail about shop.example?': '/hc alerts',
  '/hc tell me when checkout goes down': 'offer /hc watch "checkout" --me',
  '/hc which https checks are down?': '/hc list',
  '/hc how is Shop checkout?': '/hc show',
  '/hc when was Shop checkout down?': '/hc history',
  '/hc what happened last night?': '/hc history',
  '/hc what changed yesterday?': '/hc audit',
  '/hc who muted Shop checkout?': '/hc audit',
  '/hc who is on call?': '/hc watches',
  '/hc show my mutes': '/hc watches',
  '/hc list outages': '/hc history',
  '/hc show all services': '/hc list',
  '/hc what can I do?': '/hc whoami',
  '/hc who can approve orders?': '/hc access',
  '/hc tell me when Shop checkout recovers': 'offer /hc watch "Shop checkout" --me --recovery',
  '/hc turn off alerts for Shop checkout 2h': 'offer /hc mute Shop checkout 2h',
  '/cert-order what needs my approval?': '/cert-order list',
  '/cert-order when does shop.example expire?': '/cert-order list',
  '/threat 7e57ed00-0000-4000-8000-00000000000a': '/threat',
  '/threat 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d': '/threat',
  '/threat mine': '/threat queue',
  '/cert-order pending': '/cert-order list',
  '/cert-order mine': '/cert-order list',
  '/cert-order expiring': '/cert-order list',
  '/cert-order 12': '/cert-order show',
}

/** What isn't a line: a mistake that a page or comment tells of, half a sentence, and names in the audit log and in traces. */
const NOT_LINES: ReadonlySet<string> = new Set([
  ...['/hc about', '/hc version', '/hc approve', '/hc /hc list', '/threat and looking up threat events'],
  ...['/hc home', '/hc same-account', '/hc audit-delete', '/cert-order hold', '/cert-order submit'],
])

/** What a line that begins with a verb should be read as. A verb may stand for another one with these arguments. */
function findNamed(routes: RouteTable, line: string, { args }: Reading): string | undefined {
  const { command, text } = splitCommand(line)
  const [word = ''] = text.split(' ')
  const verb =
    word === '' || word.startsWith('-')
      ? routes.findVerbs(command)?.get('')
      : routes.findWords(command).get(word)
  const other = verb?.redirect?.(args)
  const target = other === undefined ? verb : routes.findVerbs(command)?.get(other)
  return target && verbName(target)
}

function describeMeaning(routes: RouteTable, line: string): string {
  const { command, text } = splitCommand(line)
  try {
    return verbName(readTyped(routes, command, text).verb)
  } catch (error) {
    if (error instanceof Refused) return `offer ${error.lines[0]}`
    throw error
  }
}

it.each([
  { from: 'the docs', list: listPageLines, least: 190 },
  { from: 'the help', list: listHelpLines, least: 50 },
  { from: 'buttons and texts', list: listSourceLines, least: 140 },
])('understands every line in $from', async ({ list, least }) => {
  await using world = await startWorld()
  const { routes } = world.app
  const lines = list(routes).filter((line) => !NOT_LINES.has(line))
  expect(lines.length).toBeGreaterThan(least)
  for (const line of lines) {
    const { command, text } = splitCommand(line)
    const wanted = WITHOUT_VERB[line]
    if (wanted !== undefined) expect(describeMeaning(routes, line), line).toBe(wanted)
    else {
      const reading = readTyped(routes, command, text)
      expect(reading.otherwise, line).toBeUndefined()
      expect(verbName(reading.verb), line).toBe(findNamed(routes, line, reading))
    }
  }
})

it('would notice a line with a mistake, and one that says what isn’t so', async () => {
  await using world = await startWorld()
  const { routes } = world.app
  for (const line of [
    '/hc list --staus down',
    '/hc mute Shop 2h 3h',
    '/cert-order aprove 12',
    '/hc undo Shop',
  ])
    expect(describeOrFail(routes, line), line).not.toBe('understood')
})

const describeOrFail = (routes: RouteTable, line: string): string => {
  const { command, text } = splitCommand(line)
  try {
    const reading = readTyped(routes, command, text)
    return reading.otherwise === undefined && findNamed(routes, line, reading) === verbName(reading.verb)
      ? 'understood'
      : 'read as something else'
  } catch {
    return 'refused'
  }
}
