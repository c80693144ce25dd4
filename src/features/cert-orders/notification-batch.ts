import type { Message } from '../../blocks/message.ts'
import type { Unsure } from '../../bot/posts/find-lost-post.ts'
import type { Messenger } from '../../bot/posts/messenger.ts'
import type { OnePost, PostOnce } from '../../bot/posts/post-once.ts'
import { untilKnown } from '../../bot/posts/send-again.ts'
import type { MayPost } from '../../bot/replies/sharing.ts'
import { isPassing, slackAnswer } from '../../slack/client/refusals.ts'
import type { OrderCard, OrderCards, RecordedSteps, WorkEnd } from '../../store/store.ts'
import { fullJitterMs } from '../../work/backoff.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import type { Order, OrderRepository } from './order.ts'

export interface BatchParts {
  orders: Pick<OrderRepository, 'keepCards'>
  steps: Pick<RecordedSteps, 'isHeld'>
  messenger: Messenger
  postOnce: PostOnce
  mayPost: MayPost
  /** Logs an error. */
  report: (error: unknown, words: string) => void
  /** What Slack did not take is sent again within this time, then within twice this time, and so on up to five minutes; 1 s unless given. */
  retryMs?: number
}

/** Somebody's direct messages, or a channel; `about` is absent for the order's card. */
export type Recipient = { about?: string | undefined } & ({ to: string } | { channelId: string })

/**
 * Sends the messages about one step of an order, each once. A refusal by one recipient does not stop the others. Each message that
 * was sent is on disk before the next one is sent, so that a second attempt sends only the missing ones.
 */
export interface NotificationBatch {
  cards(): OrderCards
  /** Sends the message, unless an earlier attempt has. `refused` is final; after `failed` another attempt may succeed. */
  notify(recipient: Recipient, message: Message): Promise<'notified' | 'refused' | 'failed'>
  edit(card: OrderCard, message: Message): Promise<void>
  /** Something that is to be told needs an answer of Slack that did not come: another attempt may have it. */
  failed(error: unknown): void
  /** Runs again while Slack has given no answer to a message, and until it is known of each whether it was sent. */
  finish(): WorkEnd
}

const RETRY_MS = 1000
const LONGEST_PAUSE_MS = 300_000

/** The order's card, and not a message about one of its steps. */
export const isCard = ({ about }: OrderCard): boolean => about === undefined

/** Its messages throw LeaseLost once others tell of the order. `notice` is what the one to the requester is about. */
export function notificationBatch(
  parts: BatchParts,
  order: Order,
  held: HeldWork,
  notice: string,
): NotificationBatch {
  const { orders, steps, messenger, postOnce, mayPost, report, retryMs } = parts
  const by = { workId: held.work.id, owner: held.owner }
  let cards = stillOfUse(order, notice)
  const failures: unknown[] = []
  const unsure: Unsure[] = []

  async function attempt<T>(work: () => Promise<T>): Promise<T | 'refused' | 'failed'> {
    held.signal.throwIfAborted()
    // Asked of the database itself: a process that stood still has heard of nothing.
    if (!(await steps.isHeld(by.workId, by.owner))) throw new LeaseLost()
    try {
      return await work()
    } catch (error) {
      if (error instanceof LeaseLost) throw error
      if (isPassing(slackAnswer(error))) {
        failures.push(error)
        return 'failed'
      }
      report(error, 'Somebody could not be told of an order, and will not be.')
      return 'refused'
    }
  }

  async function keep(card: OrderCard): Promise<void> {
    const kept = [...cards, card]
    if (!(await orders.keepCards(order, kept, by))) throw new LeaseLost()
    cards = kept
  }

  async function post(recipient: Recipient, message: Message): Promise<'notified' | 'refused' | 'failed'> {
    if ('channelId' in recipient && (await mayPost(order, recipient.channelId)) !== 'yes') return 'refused'
    const came = await postOnce(held, {
      ...attemptAt(parts, order, recipient, message),
      record: (posted) => {
        const card = { ...posted, ...recipient }
        return keep(isCard(card) ? { ...card, postedFor: order.version } : card)
      },
    })
    if ('unsureMs' in came) {
      unsure.push(came)
      return 'failed'
    }
    // It may tell of an earlier step.
    if (came.isFound) await messenger.edit(order, order.environment, came.posted, message)
    return 'notified'
  }

  return {
    cards: () => cards,
    async notify(recipient, message) {
      const to = 'to' in recipient ? recipient.to : undefined
      if (cards.some((card) => card.about === recipient.about && card.to === to)) return 'notified'
      return attempt(() => post(recipient, message))
    },
    async edit(card, message) {
      await attempt(() => messenger.edit(order, order.environment, card, message))
    },
    failed(error) {
      failures.push(error)
    },
    finish() {
      if (failures.length > 0) {
        report(failures[0], 'Slack gave no answer to all that it was told of an order; it is told again.')
        return toldAgain(held, retryMs)
      }
      return unsure.length === 0 ? { state: 'done' } : untilKnown(unsure)
    },
  }
}

/** How a message is sent to a recipient, and looked for there. */
function attemptAt(
  { messenger }: BatchParts,
  order: Order,
  recipient: Recipient,
  message: Message,
): Omit<OnePost, 'record'> {
  const { id, workspaceId, environment, version } = order
  const isDirect = 'to' in recipient
  const whom = isDirect ? recipient.to : recipient.channelId
  return {
    workspaceId,
    key: `order ${id} ${recipient.about ?? 'card'} ${whom}`,
    version,
    send: (options) =>
      isDirect
        ? messenger.direct(order, environment, whom, message, options)
        : messenger.post(order, environment, whom, message, options),
    find: (sent) => messenger.find(order, isDirect ? { ...sent, to: whom } : { ...sent, channelId: whom }),
  }
}

/** Without what else was said about steps before. */
const stillOfUse = ({ cards, version }: Order, notice: string): OrderCards =>
  cards.filter((card) => isCard(card) || card.about === notice || card.about?.endsWith(` ${version}`))

const toldAgain = ({ work }: HeldWork, retryMs = RETRY_MS): WorkEnd => ({
  state: 'waiting',
  dueInMs: fullJitterMs(work.attempts, { baseMs: retryMs, mostMs: LONGEST_PAUSE_MS }),
})
