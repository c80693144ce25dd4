import type { Message } from '../../blocks/message.ts'
import type { Unsure } from '../../bot/posts/find-lost-post.ts'
import type { LostPosts, PostToFind } from '../../bot/posts/lost-posts.ts'
import type { Messenger } from '../../bot/posts/messenger.ts'
import type { PostOnce } from '../../bot/posts/post-once.ts'
import { untilKnown } from '../../bot/posts/send-again.ts'
import type { MayPost } from '../../bot/replies/sharing.ts'
import { isPassing, slackAnswer } from '../../slack/client/slack-answer.ts'
import type { OrderCard, OrderCards, RecordedSteps, WorkEnd } from '../../store/store.ts'
import { fullJitterMs } from '../../work/full-jitter.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import type { Order, OrderRepository } from './order.ts'

export interface BatchParts {
  orders: Pick<OrderRepository, 'keepCards'>
  steps: Pick<RecordedSteps, 'isHeld'>
  messenger: Messenger
  postOnce: PostOnce
  lostPosts: Pick<LostPosts, 'lookOnly' | 'pending'>
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
  /** Looks for the cards that stand in Slack though nobody has heard so: of an order that has moved on, nobody would. */
  findLostCards(): Promise<void>
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
  const { orders, steps, messenger, postOnce, lostPosts, mayPost, report } = parts
  const by = { workId: held.work.id, owner: held.owner }
  const cards = keptCards(orders, order, notice, by)
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

  const lostAt = (recipient: Recipient): PostToFind => ({
    ...soughtAt(messenger, order, recipient),
    record: (posted) => cards.keep({ ...posted, ...recipient }),
  })

  async function post(recipient: Recipient, message: Message): Promise<'notified' | 'refused' | 'failed'> {
    if ('channelId' in recipient && (await mayPost(order, recipient.channelId)) !== 'yes') return 'refused'
    const { environment, version } = order
    const came = await postOnce(held, {
      ...lostAt(recipient),
      version,
      send: (options) =>
        'to' in recipient
          ? messenger.direct(order, environment, recipient.to, message, options)
          : messenger.post(order, environment, recipient.channelId, message, options),
    })
    if ('unsureMs' in came) {
      unsure.push(came)
      return 'failed'
    }
    // It may tell of an earlier step.
    if (came.isFound) await messenger.edit(order, environment, came.posted, message)
    return 'notified'
  }

  return {
    cards: cards.all,
    async notify(recipient, message) {
      const to = 'to' in recipient ? recipient.to : undefined
      if (cards.all().some((card) => card.about === recipient.about && card.to === to)) return 'notified'
      return attempt(() => post(recipient, message))
    },
    async edit(card, message) {
      await attempt(() => messenger.edit(order, order.environment, card, message))
    },
    async findLostCards() {
      const prefix = keyPrefix(order)
      for (const key of await lostPosts.pending(order.workspaceId, prefix))
        await attempt(async () => {
          const came = await lostPosts.lookOnly(lostAt(recipientOf(key.slice(prefix.length))))
          if (came && 'unsureMs' in came) unsure.push(came)
        })
    },
    failed(error) {
      failures.push(error)
    },
    finish: () => endOf(parts, held, failures, unsure),
  }
}

/** How the keys begin by which messages of an order about the same are told from all others of the workspace. */
const keyPrefix = ({ id }: Order, about = 'card'): string => `order ${id} ${about} `

/** Slack's ids do not say what they are the ids of. */
const keyEnd = (to: Recipient): string => ('to' in to ? `to ${to.to}` : `in ${to.channelId}`)

function recipientOf(end: string): Recipient {
  const [kind, id = ''] = end.split(' ')
  return kind === 'to' ? { to: id } : { channelId: id }
}

/** How a message is looked for where it was sent. */
function soughtAt(messenger: Messenger, order: Order, recipient: Recipient): Omit<PostToFind, 'record'> {
  const { about, ...place } = recipient
  return {
    workspaceId: order.workspaceId,
    key: keyPrefix(order, about) + keyEnd(recipient),
    find: (sent) => messenger.find(order, { ...sent, ...place }),
  }
}

/** What stands in Slack of the order, without what else was said about steps before. Throws LeaseLost instead of keeping more. */
function keptCards(
  orders: BatchParts['orders'],
  order: Order,
  notice: string,
  by: { workId: string; owner: string },
) {
  const { version } = order
  let cards: OrderCards = order.cards.filter(
    (card) => isCard(card) || card.about === notice || card.about?.endsWith(` ${version}`),
  )
  return {
    all: () => cards,
    async keep(card: OrderCard): Promise<void> {
      // A process died after it had kept it, so that it was looked for and found.
      if (cards.some(({ channelId, ts }) => channelId === card.channelId && ts === card.ts)) return
      const kept = [...cards, isCard(card) ? { ...card, postedFor: version } : card]
      if (!(await orders.keepCards(order, kept, by))) throw new LeaseLost()
      cards = kept
    },
  }
}

function endOf(
  { report, retryMs = RETRY_MS }: BatchParts,
  { work }: HeldWork,
  failures: readonly unknown[],
  unsure: readonly Unsure[],
): WorkEnd {
  if (failures.length === 0) return unsure.length === 0 ? { state: 'done' } : untilKnown(unsure)
  report(failures[0], 'Slack gave no answer to all that it was told of an order; it is told again.')
  const pause = { baseMs: retryMs, mostMs: LONGEST_PAUSE_MS }
  return { state: 'waiting', dueInMs: fullJitterMs(work.attempts, pause) }
}
