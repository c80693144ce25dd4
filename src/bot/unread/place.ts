import { MAX_CONTROLS } from '@signalman/slack'
import { toLetters } from '../../domain/known-names.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import type { CommandContext } from '../routes/command-context.ts'
import { readIfPossible } from '../routes/lines.ts'
import type { Reading, Verbs } from '../routes/read-line.ts'
import type { Nearby, RouteTable, Topic, Verb } from '../routes/routes.ts'
import { hasWholeId, toWord } from './meant-line.ts'
import { findVerbs } from './other-words.ts'

export type Places = Verbs & Pick<RouteTable, 'listWaiting' | 'findNearby' | 'topics'>

const speaksOf = ({ about, things }: Topic, words: readonly Word[]) =>
  words.some((word) => about.test(toWord(word)) || things?.test(toWord(word)))

/** What a command itself is about. */
export const findMain = ({ topics }: Places, command: string): Topic | undefined =>
  topics.find((topic) => topic.command === command)

/** Whether a line speaks of what a command itself is about. */
export const isAbout = (routes: Places, command: string, words: readonly Word[]): boolean =>
  [findMain(routes, command)].some((main) => main && speaksOf(main, words))

/** The words of a line without those that only say which command it’s for: `list certificate orders`. The first may be its verb. */
export function withoutThings(routes: Places, command: string, words: readonly Word[]): readonly Word[] {
  const { things } = { ...findMain(routes, command) }
  return words.filter((word, at) => at === 0 || !things?.test(toWord(word)))
}

/** The other command that a line is about: the only one whose subject it says, or that reads it, if it says nothing of its own. */
export function findOther(
  routes: Places,
  command: string,
  words: readonly Word[],
  isKnown: boolean,
): string | undefined {
  if (isAbout(routes, command, words)) return undefined
  const verb = toWord(words[0] ?? { text: '', isQuoted: true })
  const isOurs = isKnown || findVerbs(routes.findVerbs(command), verb).length > 0
  const others = routes.commands().filter((other) => other !== command)
  const named = others.filter((other) => isAbout(routes, other, words))
  const found = named.length > 0 || isOurs ? named : others.filter((other) => readsVerb(routes, other, words))
  return found.length === 1 ? found[0] : undefined
}

/** Whether a command has the verb that a line begins with, and reads the line. What should be an ID is one. */
function readsVerb(routes: Places, command: string, words: readonly Word[]): boolean {
  const verb = findOwn(routes.findVerbs(command), words)
  if (!verb || verb.hidden) return false
  const reading = readIfPossible(routes, `/${command} ${joinWords(words)}`)
  return reading !== undefined && hasWholeId(reading)
}

export const findOwn = (known: ReadonlyMap<string, Verb>, [first]: readonly Word[]): Verb | undefined =>
  first === undefined || first.isQuoted ? undefined : known.get(first.text.toLowerCase())

/** What people do about what a line speaks of, besides what the commands themselves are about. */
export const listAbout = (routes: Places, words: readonly Word[]) =>
  routes.topics
    .filter((topic) => topic !== findMain(routes, topic.command) && speaksOf(topic, words))
    .flatMap(({ buttons }) => buttons)

/** What people do with some commands. What can be done about what is near is offered only to who says it: it stops pages. */
export const listButtons = (routes: Places, commands: readonly string[], near: Nearby, text: string) => [
  ...near.buttons.filter(({ label }) => toLabel(label) === toLabel(text)),
  ...commands.flatMap((command) => findMain(routes, command)?.buttons ?? []),
]

/** Without apostrophes and dots, which people leave out. */
const toLabel = (text: string): string => toLetters(text).replaceAll(/[^\p{L}\d ]/gu, '')

/** What people do with a card’s command, as far as there is room beside its own buttons and this many others. */
export function listCardButtons(routes: Places, { card, command = '' }: Nearby, others: number) {
  const buttons = command === 'hc' ? [] : (findMain(routes, command)?.buttons ?? [])
  const controls = card?.blocks.flatMap((block) => (block.type === 'actions' ? block.elements : [])) ?? []
  return buttons.slice(0, Math.max(0, MAX_CONTROLS - controls.length - others))
}

export const WHAT_IS_DOWN = { label: 'What is down', line: '/hc down' }

export function mayRunHere(context: CommandContext, reading: Reading | undefined): boolean {
  try {
    reading?.verb.requirePlace?.(context, reading.args)
    return true
  } catch {
    return false
  }
}
