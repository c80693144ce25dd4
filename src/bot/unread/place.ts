import type { SuggestedCommand } from '@signalman/runtime'
import { blocksText, isDirect, type Message, message } from '@signalman/slack'
import { toLetters } from '../../domain/known-names.ts'
import type { Word } from '../../domain/quoting.ts'
import type { CommandContext } from '../routes/command-context.ts'
import type { Verbs } from '../routes/read-line.ts'
import type { RouteTable, Verb } from '../routes/routes.ts'
import { isOtherWord } from './other-words.ts'

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

/** What a person is probably about where they are: the card of the thread, or what waits for them in a direct message, and buttons. */
export async function findPlace(
  context: CommandContext,
  routes: Places,
  command: string,
  words: readonly Word[] = [],
): Promise<{ card?: Message | undefined; waiting?: Message; buttons: readonly SuggestedCommand[] }> {
  const { channelId = '' } = context
  const { card, buttons } = await routes.findNearby(context)
  const waiting = !card && command === 'hc' && isDirect(channelId) ? await routes.listWaiting(context) : []
  return {
    card,
    ...(waiting.length > 0 && { waiting: message(blocksText(waiting), ...waiting) }),
    buttons: [
      ...findTopics(routes, command, words).flatMap((topic) => BUTTONS[topic] ?? []),
      ...(command === 'hc' ? buttons : []),
      ...(BUTTONS[command] ?? []),
    ],
  }
}

/** The other commands that a line has a word of, which is none of its own: `certificate`, `approve`. */
const findTopics = (routes: Places, command: string, words: readonly Word[]): string[] =>
  routes
    .commands()
    .filter((other) => other !== command)
    .filter((other) =>
      words.some((word) => isWordOf(routes, other, word) && !isWordOf(routes, command, word)),
    )

function isWordOf(routes: Places, command: string, word: Word): boolean {
  const verbs: ReadonlyMap<string, Verb> = routes.findVerbs(command) ?? new Map()
  return !word.isQuoted && (verbs.has(word.text.toLowerCase()) || isOtherWord(verbs, word.text))
}
