import { type HeldWork, LeaseLost, type WorkEnd } from '@signalman/durable'
import { fullJitterMs } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Unsure } from '../../bot/posts/find-lost-post.ts'
import {
  editMessage,
  findMessage,
  type KeptMessage,
  type KeptOutcome,
  keepMessage,
  type PostParts,
} from '../../bot/posts/kept-messages.ts'
import type { LostPosts } from '../../bot/posts/lost-posts.ts'
import { untilKnown } from '../../bot/posts/may-post.ts'
import type { OrderRepository } from './rows/orders.ts'
import type { Order, OrderCard, OrderCards } from './rules/order.ts'

export interface BatchParts extends PostParts {
  orders: Pick<OrderRepository, 'storeCards'>
  lostPosts: Pick<LostPosts, 'lookOnly' | 'pending'>
  /** The delay before rejected messages are sent again. It doubles each time, up to five minutes. */
  retryMs?: number
}

/** `refused` is final; after `failed` another attempt may succeed. */
type Notified = 'notified' | 'refused' | 'failed'

/** A direct message, a channel, or a thread; `about` is absent for the order's card. */
type Recipient = { about?: string | undefined } & ({ to: string } | { channelId: string; threadTs?: string })

export type NotificationBatch = ReturnType<typeof notificationBatch>

const RETRY_MS = 1000
const MAX_PAUSE_MS = 300_000

/** True for the order's card, false for a message about one of its steps. */
export const isCard = ({ about }: OrderCard): boolean => about === undefined

/** The key of the requester's own message. */
export const REQUESTER_KEY = 'mine'

/**
 * Sends the messages about one step of an order, each once. A refusal by one recipient doesn't stop the others. Stores each sent
 * message before sending the next, so that a retry sends only the missing ones. Throws LeaseLost if another process has taken
 * over. `notice` says what the requester's message is about.
 */
export function notificationBatch(parts: BatchParts, order: Order, held: HeldWork, notice: string) {
  const cards = createCardStore(parts.orders, order, notice, { workId: held.work.id, owner: held.owner })
  const failures: unknown[] = []
  const unsure: Unsure[] = []
  const placeIn = (channelId: string): KeptMessage['place'] => ({
    workspaceId: order.workspaceId,
    enterpriseId: order.enterpriseId,
    environment: order.environment,
    channelId,
  })
  const keptBy = (recipient: Recipient): Omit<KeptMessage, 'drawn'> => ({
    key: keyPrefix(order, recipient.about) + keySuffix(recipient),
    place: {
      ...placeIn('to' in recipient ? '' : recipient.channelId),
      ...('threadTs' in recipient && { threadTs: recipient.threadTs }),
    },
    // A thread in a direct message isn't a channel, so Slack may say nothing about it.
    isTriedWhereClosed: 'threadTs' in recipient,
    to: 'to' in recipient ? recipient.to : undefined,
    version: order.version,
    record: (posted) => cards.keep({ ...posted, ...recipient }),
    edited: async () => undefined,
  })

  function judged(outcome: KeptOutcome | undefined): Notified {
    if (!outcome || outcome.kind === 'stands') return 'notified'
    if (outcome.kind === 'unsure') unsure.push(outcome.unsure)
    else if (outcome.kind === 'later' && outcome.why !== 'uninstalled') failures.push(outcome.error)
    else {
      if (outcome.error)
        parts.report(outcome.error, 'Could not notify someone about an order. Signalman won’t retry.')
      return 'refused'
    }
    return 'failed'
  }

  return {
    cards: cards.all,
    /** Sends the message, unless an earlier attempt has; the requester's own is sent again. */
    async notify(recipient: Recipient, drawn: Message): Promise<Notified> {
      const { to, ...kept } = keptBy(recipient)
      const isThere = cards.all().some((card) => card.about === recipient.about && card.to === to)
      if (isThere && recipient.about !== REQUESTER_KEY) return 'notified'
      return judged(await keepMessage(parts, held, { ...kept, to, drawn }))
    },
    /** `gone`: the message was deleted. */
    async edit(card: OrderCard, drawn: Message): Promise<'gone' | Notified> {
      // A card stays as it is in a channel that no longer allows orders.
      const standing = { place: placeIn(card.channelId), to: card.to, at: card, drawn }
      const outcome = await editMessage(parts, held, standing)
      return outcome.kind === 'gone' ? 'gone' : judged(outcome)
    },
    /** This message is never edited. */
    drop: cards.drop,
    /** Looks in Slack for cards whose posting was never confirmed, so that they are updated too. */
    async findLostCards(): Promise<void> {
      const prefix = keyPrefix(order)
      for (const key of await parts.lostPosts.pending(order.workspaceId, prefix))
        judged(await findMessage(parts, held, keptBy(readRecipient(key.slice(prefix.length)))))
    },
    /** Retries the work if Slack's answer to a message didn't arrive. */
    failed: (error: unknown): void => void failures.push(error),
    /** Retries until Slack has answered for every message, and it is known of each whether it was sent. */
    finish: (): WorkEnd => toWorkResult(parts, held, failures, unsure),
  }
}

/** The prefix of the keys that make an order's messages unique in the workspace. */
const keyPrefix = ({ id }: Order, about = 'card'): string => `order ${id} ${about} `

/** Slack's IDs don't say what kind of object they identify. */
const keySuffix = (to: Recipient): string => ('to' in to ? `to ${to.to}` : `in ${to.channelId}`)

function readRecipient(end: string): Recipient {
  const [kind, id = ''] = end.split(' ')
  return kind === 'to' ? { to: id } : { channelId: id }
}

/** Stores the messages in Slack, but not those about earlier steps. Throws LeaseLost if another process has taken over. */
function createCardStore(
  orders: BatchParts['orders'],
  order: Order,
  notice: string,
  by: { workId: string; owner: string },
) {
  const { version } = order
  let cards: OrderCards = order.cards.filter(
    (card) =>
      isCard(card) ||
      card.about === REQUESTER_KEY ||
      card.about === notice ||
      card.about?.endsWith(` ${version}`),
  )
  async function save(kept: OrderCards): Promise<void> {
    if (!(await orders.storeCards(order, kept, by))) throw new LeaseLost()
    cards = kept
  }

  return {
    all: () => cards,
    async keep(card: OrderCard): Promise<void> {
      // A process died after storing it, and it was found in Slack.
      if (cards.some(({ channelId, ts }) => channelId === card.channelId && ts === card.ts)) return
      const isKept = isCard(card) || card.about === REQUESTER_KEY
      const others =
        card.about === REQUESTER_KEY
          ? cards.filter(({ about, to }) => about !== REQUESTER_KEY || to !== card.to)
          : cards
      await save([...others, isKept ? { ...card, postedFor: version } : card])
    },
    drop: (card: OrderCard): Promise<void> => save(cards.filter((other) => other !== card)),
  }
}

function toWorkResult(
  { report, retryMs = RETRY_MS }: BatchParts,
  { work }: HeldWork,
  failures: readonly unknown[],
  unsure: readonly Unsure[],
): WorkEnd {
  if (failures.length === 0) return unsure.length === 0 ? { state: 'done' } : untilKnown(unsure)
  report(failures[0], 'Slack didn’t confirm every message about an order. Signalman will retry.')
  const pause = { baseMs: retryMs, maxMs: MAX_PAUSE_MS }
  return { state: 'waiting', dueInMs: fullJitterMs(work.attempts, pause) }
}
