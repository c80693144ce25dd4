import type { SuggestedCommand } from '@signalman/runtime'
import { blocksText, isDirect, type Message, message } from '@signalman/slack'
import { toLetters } from '../../domain/known-names.ts'
import { joinWords, type Word } from '../../domain/quoting.ts'
import type { CommandContext } from '../routes/command-context.ts'
import { readIfPossible, suggestLine } from '../routes/lines.ts'
import type { Reading, Verbs } from '../routes/read-line.ts'
import type { Nearby, RouteTable, Verb } from '../routes/routes.ts'
import { findMeant, findTimes, isComplete, listFree, MAX_TIME } from './meant-line.ts'
import { isVerbOf } from './other-words.ts'
import { readOurs } from './read-typed.ts'

export type Places = Verbs & Pick<RouteTable, 'listWaiting' | 'findNearby'>

/** What people come for, by the command that they typed. Each line shows something or asks, and people see those that they may use. */
const BUTTONS: Readonly<Record<string, readonly SuggestedCommand[]>> = {
  hc: [
    { label: 'What is down', line: '/hc down' },
    { label: 'Who is on it', line: '/hc who' },
    { label: 'History', line: '/hc history' },
    { label: 'Mute…', line: '/hc mute' },
  ],
  'cert-order': [
    { label: 'What waits', line: '/cert-order list pending' },
    { label: 'New order', line: '/cert-order' },
    { label: 'Who can approve', line: '/hc access' },
  ],
  threat: [{ label: 'Queue', line: '/threat queue' }],
}

/** What is on the buttons of an outage. */
const OF_OUTAGES = ['I’m on it', 'Take over', 'Step down'].map((label) => ({ label, line: '/hc who' }))

const toSaid = (text: string): string => toLetters(text.replaceAll(/['’…?!]/g, ''))

/** The line of a button whose words were typed, or the last of them: `on it`. */
export function findButton(command: string, text: string): string | undefined {
  const typed = toSaid(text)
  const all = command === 'hc' ? [...(BUTTONS.hc ?? []), ...OF_OUTAGES] : (BUTTONS[command] ?? [])
  return all.find(({ label }) => {
    const said = toSaid(label)
    return said === typed || (typed.includes(' ') && said.endsWith(` ${typed}`))
  })?.line
}

/** What a person is probably about where they are: what waits for them in a direct message, and buttons that do something there. */
export async function findPlace(
  context: CommandContext,
  routes: Places,
  { command, words, isNamed }: { command: string; words: readonly Word[]; isNamed: boolean },
  near: Nearby,
): Promise<{ waiting: Message | undefined; buttons: readonly SuggestedCommand[] }> {
  const isHere = command === 'hc' && isDirect(context.channelId ?? '')
  const waiting = isHere ? await routes.listWaiting(context) : []
  // What takes the time at the end of the line comes first: `until 8am`.
  const own = (BUTTONS[command] ?? []).map((button) => ({
    button,
    times: findTimesFor(routes, button, words),
  }))
  const timed = own.filter(({ times }) => times !== '')
  const offers = [
    ...(isNamed ? [] : offerElsewhere(routes, command, words)),
    ...timed.map(({ button: { label, line }, times }) => ({ label, line: `${line} ${times}` })),
    ...(command === 'hc' ? near.buttons : []),
    ...own.filter(({ times }) => times === '').map(({ button }) => button),
  ]
  return {
    waiting: waiting.length > 0 ? message(blocksText(waiting), ...waiting) : undefined,
    buttons: offers.filter(({ line }) => mayRunHere(context, readIfPossible(routes, line))),
  }
}

function findTimesFor(routes: Places, { line }: SuggestedCommand, words: readonly Word[]): string {
  const verb = readIfPossible(routes, line)?.verb
  // The duration of a certificate isn't one of these.
  return verb?.command === 'hc' ? joinWords(findTimes(verb, words.slice(-MAX_TIME))) : ''
}

function mayRunHere(context: CommandContext, reading: Reading | undefined): boolean {
  try {
    reading?.verb.requirePlace?.(context, reading.args)
    return true
  } catch {
    return false
  }
}

/**
 * What people do in the other commands that a line has a word of, if it has none of its own: `certificate`. First the line that is meant
 * there, if it has nothing that may not exist: `approve 12`, `my orders`.
 */
function offerElsewhere(routes: Places, command: string, words: readonly Word[]): SuggestedCommand[] {
  if (words.some((word) => isWordOf(routes, command, word))) return []
  const others = routes.commands().filter((other) => words.some((word) => isWordOf(routes, other, word)))
  return others.flatMap((other) => {
    const verbs = routes.findVerbs(other) ?? new Map<string, Verb>()
    const meant = findMeant(verbs, words, (line) => readIfPossible(routes, line, readOurs), [])
    const isWhole = meant && isComplete(meant.reading) && listFree(meant.reading).length === 0
    return [...(isWhole ? [suggestLine(meant.line)] : []), ...(BUTTONS[other] ?? [])]
  })
}

function isWordOf(routes: Places, command: string, word: Word): boolean {
  const verbs: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  return !word.isQuoted && isVerbOf(verbs, word.text)
}
