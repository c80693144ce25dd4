import type { SuggestedCommand } from '@signalman/runtime'
import { blocksText, isDirect, type Message, message } from '@signalman/slack'
import { joinWords, type Word } from '../../domain/quoting.ts'
import type { CommandContext } from '../routes/command-context.ts'
import { readIfPossible } from '../routes/lines.ts'
import type { Reading, Verbs } from '../routes/read-line.ts'
import type { Nearby, RouteTable, Verb } from '../routes/routes.ts'
import { carryForms, hasWholeId, toWord } from './meant-line.ts'
import { findVerbs } from './other-words.ts'

export type Places = Verbs & Pick<RouteTable, 'listWaiting' | 'findNearby' | 'topics'>

/** Whether a line says what a command is about. */
export const isAbout = (routes: Places, command: string, words: readonly Word[]): boolean =>
  words.some((word) => routes.topics.get(command)?.about.test(toWord(word)))

/** The other command that a line is about: the only one whose subject it says, or that reads it, if it says nothing of its own. */
export function findOther(
  routes: Places,
  command: string,
  words: readonly Word[],
  isKnown: boolean,
): string | undefined {
  if (isAbout(routes, command, words)) return undefined
  const verb = toWord(words[0] ?? { text: '', isQuoted: true })
  const isOurs = isKnown || findVerbs(routes.findVerbs(command) ?? new Map(), verb).length > 0
  const others = routes.commands().filter((other) => other !== command)
  const named = others.filter((other) => isAbout(routes, other, words))
  const found = named.length > 0 || isOurs ? named : others.filter((other) => readsVerb(routes, other, words))
  return found.length === 1 ? found[0] : undefined
}

/** Whether a command has the verb that a line begins with, and reads the line. What should be an ID is one. */
function readsVerb(routes: Places, command: string, words: readonly Word[]): boolean {
  const verb = findOwn(routes.findVerbs(command) ?? new Map(), words)
  if (!verb || verb.hidden) return false
  const reading = readIfPossible(routes, `/${command} ${joinWords(words)}`)
  return reading !== undefined && hasWholeId(reading)
}

/** The verb that a line begins with. */
export const findOwn = (known: ReadonlyMap<string, Verb>, [first]: readonly Word[]): Verb | undefined =>
  first === undefined || first.isQuoted ? undefined : known.get(first.text.toLowerCase())

/** What a person is probably about where they are: what waits for them in a direct message, and what people do with these commands. */
export async function findPlace(
  context: CommandContext,
  routes: Places,
  { commands, words }: { commands: readonly string[]; words: readonly Word[] },
  near: Nearby,
): Promise<{ waiting: Message | undefined; buttons: readonly SuggestedCommand[] }> {
  const isHere = commands.includes('hc') && isDirect(context.channelId ?? '')
  const waiting = isHere ? await routes.listWaiting(context) : []
  const buttons = commands.flatMap((command) => routes.topics.get(command)?.buttons ?? [])
  // What takes something of the line comes first: `until 8am`.
  const carried = buttons.map((button) => carryOn(routes, button, words))
  const isNew = ({ line }: SuggestedCommand) => !buttons.some((button) => button.line === line)
  const offers = [
    ...carried.filter(isNew),
    ...(commands.includes('hc') ? near.buttons : []),
    ...carried.filter((each) => !isNew(each)),
  ]
  return {
    waiting: waiting.length > 0 ? message(blocksText(waiting), ...waiting) : undefined,
    buttons: offers.filter(({ line }) => mayRunHere(context, readIfPossible(routes, line))),
  }
}

/** A button with what the line has for it: a time, a domain. */
function carryOn(
  routes: Places,
  { label, line }: SuggestedCommand,
  words: readonly Word[],
): SuggestedCommand {
  const verb = readIfPossible(routes, line)?.verb
  const carried = verb ? `${line} ${carryForms(verb, words)}`.trim() : line
  const reading = readIfPossible(routes, carried)
  // A second time would be read as a name: `history 30m yesterday`.
  return { label, line: reading && reading.args.values.check === undefined ? carried : line }
}

export function mayRunHere(context: CommandContext, reading: Reading | undefined): boolean {
  try {
    reading?.verb.requirePlace?.(context, reading.args)
    return true
  } catch {
    return false
  }
}
