import { DONE, type LeasedWork, LeaseLost, type WorkEnd } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import {
  findMessage,
  type MessageOutcome,
  type PostDeps,
  postOrEdit,
  type UnwrittenMessage,
} from '../../bot/posts/post-or-edit.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order, OrderCards } from './rules/order.ts'

/**
 * What a message is about and where it is: in a channel, in a direct message, or in the thread of the requester's own message, `mine to U1`.
 */
type MessageKey =
  | `${'card' | `alert ${number}`} ${'in' | 'to'} ${string}`
  | `mine to ${string}`
  | `step ${number}`

type Card = OrderCards[number]

/** `refused` is final; after `failed` another attempt may succeed. */
type ShowResult = Card | 'refused' | 'failed'

export type Outbox = ReturnType<typeof createOutbox>

/** Cards and the requester's message are edited at each step. The others are about one step. */
const isEdited = (key: string): boolean => /^(?:mine|card) /.test(key)

/** The messages about one order. Each is stored before the next is sent, so that a retry sends only the missing ones. */
export function createOutbox(
  posting: PostDeps,
  { storeCards }: Pick<StoredOrders, 'storeCards'>,
  leased: LeasedWork,
  order: Order,
) {
  const { id, version, workspaceId, enterpriseId, environment, requesterId } = order
  const prefix = `order ${id} `
  const retries: WorkEnd[] = []
  let cards: ReadonlyMap<string, Card> = new Map(order.cards.map((card) => [card.key, card]))

  async function store(changed: typeof cards): Promise<void> {
    const stored = await storeCards(order, [...changed.values()], {
      workId: leased.work.id,
      owner: leased.owner,
    })
    if (!stored) throw new LeaseLost()
    cards = changed
  }

  function toMessage(key: string): UnwrittenMessage {
    const [, preposition, id = ''] = / (in|to) (\S+)$/.exec(key) ?? []
    const thread = preposition ? undefined : cards.get(`mine to ${requesterId}`)
    const existing = cards.get(key)
    return {
      key: prefix + key,
      target: {
        ...{ workspaceId, enterpriseId, environment },
        ...(thread && { threadTs: thread.ts }),
        channelId: (existing ?? thread)?.channelId ?? (preposition === 'in' ? id : ''),
      },
      to: preposition === 'to' ? id : undefined,
      existing,
      version,
      record: ({ channelId, ts }, shownVersion) =>
        store(new Map(cards).set(key, { key, channelId, ts, version: shownVersion })),
      ...(isEdited(key) && { onEdited: async () => undefined }),
    }
  }

  function classify(outcome: MessageOutcome): 'shown' | 'gone' | 'refused' | 'failed' {
    if (outcome.kind === 'shown' || outcome.kind === 'gone') return outcome.kind
    if (outcome.kind === 'pending' || (outcome.kind === 'later' && outcome.reason !== 'uninstalled')) {
      retries.push(outcome.end)
      return 'failed'
    }
    if (outcome.error) posting.reportError(outcome.error, 'Could not notify someone about an order.')
    return 'refused'
  }

  /** Posts the message, or edits it if it was posted before. One about a step isn't edited. */
  async function show(key: MessageKey, content: Message): Promise<ShowResult> {
    const existing = cards.get(key)
    if (existing && !isEdited(key)) return existing
    const message = { ...toMessage(key), content }
    const result = classify(await postOrEdit(posting, leased, message))
    if (result === 'shown') return cards.get(key) ?? 'failed'
    if (result !== 'gone') return result
    // Somebody deleted it, or the message in whose thread it belongs.
    if (!existing) return 'refused'
    const remaining = new Map(cards)
    remaining.delete(key)
    await store(remaining)
    return show(key, content)
  }

  return {
    show,
    /** The keys of the cards that were posted. Looks first for those whose posting was never confirmed. */
    async listCardKeys(): Promise<MessageKey[]> {
      for (const pending of await posting.posts.listPending(leased)) {
        const key = pending.slice(prefix.length)
        if (!key.startsWith('card ')) continue
        const found = await findMessage(posting, leased, toMessage(key))
        if (found) classify(found)
      }
      // Cast, because only `show` stores keys.
      return ([...cards.keys()] as MessageKey[]).filter((key) => key.startsWith('card '))
    },
    /** The work's result: done, or retry until Slack has accepted or refused every message. */
    finish: (): WorkEnd => retries[0] ?? DONE,
  }
}
