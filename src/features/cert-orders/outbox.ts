import { DONE, type LeasedWork, LeaseLost, type WorkEnd } from '@signalman/durable'
import type { Message, PostedMessage } from '@signalman/slack'
import {
  findMessage,
  type MessageOutcome,
  ownWords,
  type PostDeps,
  postOrEdit,
  type UnwrittenMessage,
} from '../../bot/posts/post-or-edit.ts'
import { cmd } from '../../domain/command-names.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order, OrderCards } from './rules/order.ts'

/** Where a message goes: to a person, in a channel, or in the thread of another message. */
type Place = { to: string } | { channelId: string } | { threadOf: PostedMessage }

/** `refused` is final; after `failed` another attempt may succeed. */
type ShowResult = OrderCards[number] | 'refused' | 'failed'

export type Outbox = ReturnType<typeof createOutbox>

/** The key of the requester's own message. */
export const MINE = 'mine'

/** Cards and the requester's message are edited at each step. The others are about one step. */
const isEdited = (key: string): boolean => key === MINE || key.startsWith('card ')

/** The key of a message for a place: `card in C1`, `alert 7 to U1`. */
export const keyFor = (about: string, place: { to: string } | { channelId: string }): string =>
  'to' in place ? `${about} to ${place.to}` : `${about} in ${place.channelId}`

/** The place in a card's key. */
export function parsePlace(key: string): { to: string } | { channelId: string } {
  const [, preposition, id = ''] = key.split(' ')
  return preposition === 'to' ? { to: id } : { channelId: id }
}

/** The messages about one order. Each is stored before the next is sent, so that a retry sends only the missing ones. */
export function createOutbox(
  posting: PostDeps,
  { storeCards }: Pick<StoredOrders, 'storeCards'>,
  leased: LeasedWork,
  order: Order,
) {
  const { id, number, version, workspaceId, enterpriseId, environment } = order
  const prefix = `order ${id} `
  const retries: WorkEnd[] = []
  let cards: OrderCards = order.cards
  const refused = ownWords(
    `Certificate order ${number} has news. Slack refused the message about it. To see it, use ${cmd('/cert-order show')} ${number}.`,
  )
  const find = (key: string) => cards.find((card) => card.key === key)

  async function store(changed: OrderCards): Promise<void> {
    if (!(await storeCards(order, changed, { workId: leased.work.id, owner: leased.owner })))
      throw new LeaseLost()
    cards = changed
  }

  const toMessage = (key: string, place: Place): UnwrittenMessage => ({
    key: prefix + key,
    target: {
      ...{ workspaceId, enterpriseId, environment },
      ...('threadOf' in place && { threadTs: place.threadOf.ts }),
      channelId:
        find(key)?.channelId ??
        ('threadOf' in place ? place.threadOf : { channelId: '', ...place }).channelId,
    },
    to: 'to' in place ? place.to : undefined,
    // Slack may not give details of a direct message's channel, so its thread is tried without checking.
    triesClosedChannel: 'threadOf' in place,
    existing: find(key),
    version,
    record: ({ channelId, ts }, shownVersion) =>
      store([...cards.filter((card) => card.key !== key), { key, channelId, ts, version: shownVersion }]),
    ...(isEdited(key) && { onEdited: async () => undefined }),
  })

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
  async function show(key: string, place: Place, content: Message): Promise<ShowResult> {
    const existing = find(key)
    if (existing && !isEdited(key)) return existing
    const message = { ...toMessage(key, place), content, ownWords: refused }
    const result = classify(await postOrEdit(posting, leased, message))
    if (result === 'shown') return find(key) ?? 'failed'
    if (result !== 'gone') return result
    // Somebody deleted it, or the message in whose thread it belongs.
    if (!existing) return 'refused'
    await store(cards.filter((card) => card !== existing))
    return show(key, place, content)
  }

  return {
    show,
    /** The keys of the cards that were posted. Looks first for those whose posting was never confirmed. */
    async listCardKeys(): Promise<string[]> {
      for (const pending of await posting.posts.listPending(workspaceId, `${prefix}card `)) {
        const key = pending.slice(prefix.length)
        const found = await findMessage(posting, leased, toMessage(key, parsePlace(key)))
        if (found) classify(found)
      }
      return cards.map(({ key }) => key).filter((key) => key.startsWith('card '))
    },
    /** The work's result: done, or retry until Slack has accepted or refused every message. */
    finish: (): WorkEnd => retries[0] ?? DONE,
  }
}
