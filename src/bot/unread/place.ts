import type { SuggestedCommand } from '@signalman/runtime'
import { blocksText, isDirect, type Message, message } from '@signalman/slack'
import { toLetters } from '../../domain/known-names.ts'
import type { CommandContext } from '../routes/command-context.ts'
import type { Verbs } from '../routes/read-line.ts'
import type { RouteTable } from '../routes/routes.ts'

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
  { listWaiting, findNearby }: Places,
  command: string,
): Promise<{ card?: Message | undefined; waiting?: Message; buttons: readonly SuggestedCommand[] }> {
  const { channelId = '' } = context
  const { card, buttons } = await findNearby(context)
  const waiting = !card && command === 'hc' && isDirect(channelId) ? await listWaiting(context) : []
  return {
    card,
    ...(waiting.length > 0 && { waiting: message(blocksText(waiting), ...waiting) }),
    buttons: [...(command === 'hc' ? buttons : []), ...(BUTTONS[command] ?? [])],
  }
}
