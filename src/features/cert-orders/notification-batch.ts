import type { Message } from '../../blocks/message.ts'
import type { Messenger } from '../../bot/replies/messenger.ts'
import type { MayPost } from '../../bot/replies/sharing.ts'
import { isFinal } from '../../slack/client/slack-errors.ts'
import type { OrderCard, OrderCards, RecordedSteps } from '../../store/store.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import type { Order, OrderRepository } from './order.ts'

export interface BatchParts {
  orders: Pick<OrderRepository, 'keepCards'>
  steps: Pick<RecordedSteps, 'isHeld'>
  messenger: Messenger
  mayPost: MayPost
  /** Logs an error. */
  report: (error: unknown, words: string) => void
}

/** Somebody's direct messages, or a channel; `about` is absent for the order's card. */
export type Recipient = { about?: string | undefined } & ({ to: string } | { channelId: string })

/**
 * Sends the messages about one step of an order. A refusal by one recipient does not stop the others. Each message that was
 * sent is on disk before the next one is sent, so that a second attempt sends only the missing ones.
 */
export interface NotificationBatch {
  cards(): OrderCards
  /** Sends the message, unless an earlier attempt has. `refused` is final; after `failed` another attempt may succeed. */
  notify(recipient: Recipient, message: Message): Promise<'notified' | 'refused' | 'failed'>
  edit(card: OrderCard, message: Message): Promise<void>
  /** Throws the first error of a message that Slack gave no answer to, so that the batch is run again; else does nothing. */
  finish(): void
}

/** The order's card, and not a message about one of its steps. */
export const isCard = ({ about }: OrderCard): boolean => about === undefined

/** Its messages throw LeaseLost once others tell of the order. */
export function notificationBatch(parts: BatchParts, order: Order, held: HeldWork): NotificationBatch {
  const { orders, steps, messenger, mayPost, report } = parts
  const by = { workId: held.work.id, owner: held.owner }
  // What was said about steps before is of no use any more.
  let cards = order.cards.filter((card) => isCard(card) || card.about?.endsWith(` ${order.version}`))
  const failures: unknown[] = []

  async function attempt<T>(work: () => Promise<T>): Promise<T | 'refused' | 'failed'> {
    held.signal.throwIfAborted()
    // Asked of the database itself: a process that stood still has heard of nothing.
    if (!(await steps.isHeld(by.workId, by.owner))) throw new LeaseLost()
    try {
      return await work()
    } catch (error) {
      if (!isFinal(error)) failures.push(error)
      else report(error, 'Somebody could not be told of an order, and will not be.')
      return isFinal(error) ? 'refused' : 'failed'
    }
  }

  async function post(recipient: Recipient, message: Message): Promise<OrderCard | 'refused'> {
    if ('to' in recipient)
      return { ...(await messenger.direct(order, order.environment, recipient.to, message)), ...recipient }
    if ((await mayPost(order, recipient.channelId)) !== 'yes') return 'refused'
    return { ...(await messenger.post(order, order.environment, recipient.channelId, message)), ...recipient }
  }

  return {
    cards: () => cards,
    async notify(recipient, message) {
      const to = 'to' in recipient ? recipient.to : undefined
      if (cards.some((card) => card.about === recipient.about && card.to === to)) return 'notified'
      const card = await attempt(() => post(recipient, message))
      if (typeof card === 'string') return card
      cards = [...cards, card]
      if (!(await orders.keepCards(order, cards, by))) throw new LeaseLost()
      return 'notified'
    },
    async edit(card, message) {
      await attempt(() => messenger.edit(order, order.environment, card, message))
    },
    finish() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
