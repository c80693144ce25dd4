import { DONE, type LeasedWork, LeaseLost, type OutcomePending, type WorkEnd } from '@signalman/durable'
import { fullJitterMs } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { recheckLater } from '../../bot/posts/may-post.ts'
import {
  editMessage,
  findMessage,
  type MessageOutcome,
  type MessageToPost,
  ownWords,
  type PostDeps,
  postOrEdit,
  type UnwrittenMessage,
} from '../../bot/posts/post-or-edit.ts'
import { cmd } from '../../domain/command-names.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order, OrderCard, OrderCards } from './rules/order.ts'

export interface BatchDeps {
  posting: PostDeps
  orders: Pick<StoredOrders, 'storeCards'>
  /** The delay before failed messages are sent again. It doubles each time, up to five minutes. */
  retryMs?: number
}

/** `refused` is final; after `failed` another attempt may succeed. */
type NotifyResult = 'notified' | 'refused' | 'failed'

/** The person, channel, or thread that a message goes to. `about` identifies the message; absent for the order's card. */
type Recipient = { about?: string | undefined } & ({ to: string } | { channelId: string; threadTs?: string })

export type NotificationBatch = ReturnType<typeof createNotificationBatch>

const DEFAULT_RETRY_MS = 1000
const MAX_PAUSE_MS = 300_000

/**
 * Whether this is the order's card, which is redrawn at each step. An `OrderCard` can also be the location of another message about
 * the order.
 */
export const isCard = ({ about }: OrderCard): boolean => about === undefined

/** The `about` of the message that the policy blocks the order, which the requester gets once. */
export const BLOCKED_KEY = 'blocked'

/** The `about` of the requester's own message, which is edited at each step. The replies in its thread have others. */
export const REQUESTER_KEY = 'mine'

/**
 * Sends the messages about one step of an order, each once. If one is refused, the others are still sent. Stores each sent
 * message before sending the next, so that a retry sends only the missing ones. Throws LeaseLost if another process has taken
 * over. `noticeKey` is the `about` of the reply about this step in the thread of the requester's message.
 */
export function createNotificationBatch(
  deps: BatchDeps,
  order: Order,
  leased: LeasedWork,
  noticeKey: string,
) {
  const cards = createCardStore(deps.orders, order, noticeKey, {
    workId: leased.work.id,
    owner: leased.owner,
  })
  const failures: unknown[] = []
  const pendingOutcomes: OutcomePending[] = []
  const createTarget = (channelId: string): MessageToPost['target'] => ({
    workspaceId: order.workspaceId,
    enterpriseId: order.enterpriseId,
    environment: order.environment,
    channelId,
  })
  const refused = ownWords(
    `Certificate order ${order.number} has news. Slack refused the message about it. To see it, use ${cmd('/cert-order show')} ${order.number}.`,
  )
  const toMessageToPost = (recipient: Recipient): UnwrittenMessage => ({
    key: keyPrefix(order, recipient.about) + keySuffix(recipient),
    target: {
      ...createTarget('to' in recipient ? '' : recipient.channelId),
      ...('threadTs' in recipient && { threadTs: recipient.threadTs }),
    },
    // Slack may not give details of a direct message's channel, so its thread is tried without checking.
    triesClosedChannel: 'threadTs' in recipient,
    to: 'to' in recipient ? recipient.to : undefined,
    version: order.version,
    record: (posted) => cards.add({ ...posted, ...recipient }),
    onEdited: async () => undefined,
  })

  function classify(outcome: MessageOutcome | undefined): NotifyResult {
    if (!outcome || outcome.kind === 'shown') return 'notified'
    if (outcome.kind === 'pending') pendingOutcomes.push(outcome.pending)
    else if (outcome.kind === 'later' && outcome.reason !== 'uninstalled') failures.push(outcome.error)
    else {
      if (outcome.error)
        deps.posting.reportError(
          outcome.error,
          'Could not notify someone about an order. Signalman won’t retry.',
        )
      return 'refused'
    }
    return 'failed'
  }

  return {
    cards: cards.all,
    /** Sends the message unless an earlier attempt did. The requester's own message is always sent. */
    async notify(recipient: Recipient, content: Message): Promise<NotifyResult> {
      const { to, ...message } = toMessageToPost(recipient)
      const isSent = cards.all().some((card) => card.about === recipient.about && card.to === to)
      if (isSent && recipient.about !== REQUESTER_KEY) return 'notified'
      return classify(await postOrEdit(deps.posting, leased, { ...message, to, content, ownWords: refused }))
    },
    /** Edits a sent message. Returns `gone` if it was deleted. */
    async edit(card: OrderCard, content: Message): Promise<'gone' | NotifyResult> {
      // `triesClosedChannel` isn't set, so a card isn't edited in a channel where the app may no longer post.
      const target = createTarget(card.channelId)
      const sentMessage = { target, to: card.to, existing: card, content, ownWords: refused }
      const outcome = await editMessage(deps.posting, leased, sentMessage)
      return outcome.kind === 'gone' ? 'gone' : classify(outcome)
    },
    /** Stops tracking a message, so it's no longer edited. */
    drop: cards.drop,
    /** Searches Slack for cards whose posting was never confirmed, and tracks those it finds. */
    async findLostCards(): Promise<void> {
      const prefix = keyPrefix(order)
      for (const key of await deps.posting.posts.listPending(order.workspaceId, prefix))
        classify(
          await findMessage(deps.posting, leased, toMessageToPost(parseRecipient(key.slice(prefix.length)))),
        )
    },
    /** Handles an error: the work is retried. Meanwhile, goes on with `value`. */
    failWith:
      <T>(value: T) =>
      (error: unknown): T => {
        failures.push(error)
        return value
      },
    /** The work's result: done, or retry until Slack has accepted or refused every message. */
    finish(): WorkEnd {
      if (failures.length === 0) return pendingOutcomes.length === 0 ? DONE : recheckLater(pendingOutcomes)
      deps.posting.reportError(
        failures[0],
        'Slack didn’t confirm every message about an order. Signalman will retry.',
      )
      const pause = { baseMs: deps.retryMs ?? DEFAULT_RETRY_MS, maxMs: MAX_PAUSE_MS }
      return { state: 'waiting', dueInMs: fullJitterMs(leased.work.attempts, pause) }
    },
  }
}

/** The prefix of the keys that make an order's messages unique in the workspace. */
const keyPrefix = ({ id }: Order, about = 'card'): string => `order ${id} ${about} `

/** The suffix of a message's key. Includes the kind of recipient, because the ID alone doesn't show it. */
const keySuffix = (recipient: Recipient): string =>
  'to' in recipient ? `to ${recipient.to}` : `in ${recipient.channelId}`

function parseRecipient(suffix: string): Recipient {
  const [kind, id = ''] = suffix.split(' ')
  return kind === 'to' ? { to: id } : { channelId: id }
}

/**
 * Stores the locations of an order's messages in Slack. Drops messages about earlier steps. Throws LeaseLost if another process has
 * taken over.
 */
function createCardStore(
  orders: BatchDeps['orders'],
  order: Order,
  noticeKey: string,
  lease: { workId: string; owner: string },
) {
  const { version } = order
  let cards: OrderCards = order.cards.filter(
    (card) =>
      isCard(card) ||
      card.about === REQUESTER_KEY ||
      card.about === BLOCKED_KEY ||
      card.about === noticeKey ||
      card.about?.endsWith(` ${version}`),
  )
  async function save(updated: OrderCards): Promise<void> {
    if (!(await orders.storeCards(order, updated, lease))) throw new LeaseLost()
    cards = updated
  }

  return {
    all: () => cards,
    async add(card: OrderCard): Promise<void> {
      // Already stored by a process that died afterwards.
      if (cards.some(({ channelId, ts }) => channelId === card.channelId && ts === card.ts)) return
      const isEditedLater = isCard(card) || card.about === REQUESTER_KEY
      const others =
        card.about === REQUESTER_KEY
          ? cards.filter(({ about, to }) => about !== REQUESTER_KEY || to !== card.to)
          : cards
      await save([...others, isEditedLater ? { ...card, postedFor: version } : card])
    },
    drop: (card: OrderCard): Promise<void> => save(cards.filter((other) => other !== card)),
  }
}
