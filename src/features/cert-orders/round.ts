import type { Message } from '../../blocks/message.ts'
import type { Messenger } from '../../slack/answers/messenger.ts'
import type { MayPost } from '../../slack/answers/sharing.ts'
import { isFinal } from '../../slack/client/slack-errors.ts'
import type { Card, Cards } from '../../store/order-telling.ts'
import type { Ledger, Order } from './order.ts'

export interface RoundParts {
  ledger: Ledger
  messenger: Messenger
  mayPost: MayPost
  now: () => Date
  /** Told of what went wrong, for the log. */
  report: (error: unknown, words: string) => void
}

/** Somebody's direct messages, or a channel; `about` is absent for the order's card. */
export type Recipient = { about?: string | undefined } & ({ to: string } | { channelId: string })

/**
 * The messages about one step. One recipient's refusal is no other's; what was sent is on disk before the next is, so
 * that a second round sends only what the first could not.
 */
export interface Round {
  cards(): Cards
  /** Sends it, unless an earlier round has. `refused` is for good; after `failed` it is worth trying again. */
  reach(recipient: Recipient, message: Message): Promise<'reached' | 'refused' | 'failed'>
  edit(card: Card, message: Message): Promise<void>
  /** Throws what came instead of an answer to any of it, when something did. */
  finish(): void
}

/** Others are telling of the order by now. */
export class LeaseLost extends Error {}

/** Far longer than one message takes: it is counted anew before each. */
export const TELLS_WITHIN_MS = 60_000

/** The order's card, and not a message about one of its steps. */
export const isCard = ({ about }: Card): boolean => about === undefined

/** `held`: until when this process has the telling for itself. */
export function startRound(parts: RoundParts, order: Order, held: Date): Round {
  const { ledger, messenger, mayPost, now, report } = parts
  // What was said about steps before is of no use any more.
  let cards = order.cards.filter(({ about }) => about === undefined || about.endsWith(` ${order.version}`))
  let until = held
  const failures: unknown[] = []

  async function attempt<T>(work: () => Promise<T>): Promise<T | 'refused' | 'failed'> {
    const next = new Date(now().getTime() + TELLS_WITHIN_MS)
    if (!(await ledger.renewTelling(order, until, next))) throw new LeaseLost()
    until = next
    try {
      return await work()
    } catch (error) {
      if (!isFinal(error)) failures.push(error)
      else report(error, 'Somebody could not be told of an order, and will not be.')
      return isFinal(error) ? 'refused' : 'failed'
    }
  }

  async function post(recipient: Recipient, message: Message) {
    if ('to' in recipient)
      return { ...(await messenger.direct(order, order.environment, recipient.to, message)), ...recipient }
    if ((await mayPost(order, recipient.channelId)) !== 'yes') return 'refused'
    return { ...(await messenger.post(order, order.environment, recipient.channelId, message)), ...recipient }
  }

  return {
    cards: () => cards,
    async reach(recipient, message) {
      const to = 'to' in recipient ? recipient.to : undefined
      if (cards.some((card) => card.about === recipient.about && card.to === to)) return 'reached'
      const card = await attempt(() => post(recipient, message))
      if (typeof card === 'string') return card
      cards = [...cards, card]
      await ledger.keepCards(order, cards)
      return 'reached'
    },
    async edit(card, message) {
      await attempt(() => messenger.edit(order, order.environment, card, message))
    },
    finish() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
