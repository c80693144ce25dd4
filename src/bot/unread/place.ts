import type { SuggestedCommand } from '@signalman/runtime'
import { blocksText, isDirect, type Message, message } from '@signalman/slack'
import type { CommandContext } from '../routes/command-context.ts'
import type { Verbs } from '../routes/read-line.ts'
import type { RouteTable } from '../routes/routes.ts'

export type Places = Verbs & Pick<RouteTable, 'listWaiting' | 'showThread'>

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
  ],
  threat: [{ label: 'Queue', line: '/threat queue' }],
}

/** What a person is probably about where they are: the card of the thread, or what waits for them in a direct message, and buttons. */
export async function findPlace(
  context: CommandContext,
  { listWaiting, showThread }: Places,
  command: string,
): Promise<{ card?: Message | undefined; waiting?: Message; buttons: readonly SuggestedCommand[] }> {
  const { channelId = '', threadTs: ts } = context
  const card = ts ? await showThread(context, { channelId, ts }) : undefined
  const waiting = !card && command === 'hc' && isDirect(channelId) ? await listWaiting(context) : []
  return {
    card,
    ...(waiting.length > 0 && { waiting: message(blocksText(waiting), ...waiting) }),
    buttons: BUTTONS[command] ?? [],
  }
}
