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

/** Where a person is, and what they do there. */
interface Place {
  /** The card of the thread. It has its own buttons. */
  readonly card?: Message | undefined
  /** In a direct message, what waits for the person. */
  readonly waiting?: Message | undefined
  readonly buttons: readonly SuggestedCommand[]
}

export async function findPlace(
  context: CommandContext,
  { listWaiting, showThread }: Places,
  command: string,
): Promise<Place> {
  const { channelId = '', threadTs: ts } = context
  const card = ts ? await showThread(context, { channelId, ts }) : undefined
  if (card) return { card, buttons: [] }
  const waiting = command === 'hc' && isDirect(channelId) ? await listWaiting(context) : []
  const shown = waiting.length > 0 ? message(blocksText(waiting), ...waiting) : undefined
  return { waiting: shown, buttons: BUTTONS[command] ?? [] }
}
