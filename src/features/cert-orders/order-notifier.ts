import type { Settings, WorkKind } from '@signalman/durable'
import { isPassing, type Message, slackAnswer } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import {
  type BatchParts,
  isCard,
  MINE,
  type NotificationBatch,
  notificationBatch,
} from './notification-batch.ts'
import { raisesAlarm } from './placed-twice.ts'
import type { OrderRepository } from './rows/orders.ts'
import type { OrderEvent } from './rows/row.ts'
import { ORDER_WORK } from './rows/writing.ts'
import { hasRequested, type Order } from './rules/order.ts'
import type { OrderPolicy } from './rules/policy.ts'
import type { Shown } from './rules/shown.ts'
import { type NameOf, readShown } from './shown-order.ts'
import {
  alarmView,
  alertView,
  cardView,
  handedOverView,
  noticeView,
  stepView,
  type WhoIsAsked,
} from './views/messages.ts'

export interface NotifierParts extends BatchParts {
  orders: OrderRepository
  settings: Pick<Settings, 'get'>
  findHolders: FindHolders
  nameOf: NameOf
  /** Draws App Home again for those of a workspace who have it open; absent where there is none. */
  redrawHomes?: ((workspaceId: string) => Promise<void>) | undefined
}

/** Notifies people about an order's newest step. The next run handles steps taken meanwhile. */
export function orderNotifier(parts: NotifierParts): WorkKind {
  const { orders, findHolders, report } = parts

  async function announce(order: Order, { kind, told }: Step, batch: NotificationBatch): Promise<void> {
    const shown = await readShown(parts, order)
    const { policy, people, twins } = shown
    const found = await listApprovers(order, policy, twins, batch)
    const deciding: Deciding = { batch, channelId: policy.channelId, approvers: found ?? [] }
    await batch.findLostCards()
    const card = cardView(order, shown)
    for (const at of batch.cards().filter(isCard)) await batch.edit(at, card)
    const due = findDue(order, policy, kind)
    // The requester has a message of their own, with the same buttons if they may decide.
    const others = deciding.approvers.filter((id) => id !== order.requesterId)
    if (due.card) await tellDeciding({ ...deciding, approvers: others }, card)
    if (due.alert) await alert(deciding, order, alertView(order, people, shown))
    if (raisesAlarm(order, twins)) await alarm(deciding, order, twins)
    // Until it is known who is asked, it cannot be said.
    await tellFormer(batch, order, shown)
    if (order.state === 'submitting' || !found) return
    const asked = found.length > 0 ? 'people' : askedBy(batch)
    const unasked = countUnasked(others, batch)
    const decides = found.includes(order.requesterId)
    await tellRequester(batch, order, told, noticeView(order, { ...shown, asked, unasked, decides }), shown)
  }

  /** The approvers, while there's something for them to decide or read; undefined while Slack can't say who they are. */
  async function listApprovers(
    order: Order,
    { direct }: OrderPolicy,
    twins: readonly Order[],
    batch: NotificationBatch,
  ): Promise<string[] | undefined> {
    if (!isOpen(order) && twins.length === 0 && findCorrection(order) === undefined) return []
    try {
      const holders = await findHolders(order, 'approver')
      return holders.filter((id) => direct || !hasRequested(order, id))
    } catch (error) {
      if (isPassing(slackAnswer(error))) {
        batch.failed(error)
        return undefined
      }
      report(error, 'Could not find out from Slack who approves orders.')
      return []
    }
  }

  return {
    kind: ORDER_WORK.notice,
    lane: 'tell',
    // Slack may be unavailable for a day. Approvers are then asked a day later.
    mostAttempts: Number.MAX_SAFE_INTEGER,
    async run(held) {
      const order = await orders.get(held.work.key ?? '')
      if (!order) return { state: 'done' }
      const step = findStep(order, await orders.events(order))
      const batch = notificationBatch(parts, order, held, noticeKey(step.told))
      await announce(order, step, batch)
      // Nobody waits for it, and it repeats no message.
      void parts.redrawHomes?.(order.workspaceId)
      return batch.finish()
    },
  }
}

/** Who was asked though nobody is known to be able to approve: a channel was, once the card stands in it. */
const askedBy = (batch: NotificationBatch): WhoIsAsked =>
  batch.cards().some((card) => isCard(card) && card.to === undefined) ? 'channel' : 'nobody'

/** How many of those who can approve were not written to. */
const countUnasked = (others: readonly string[], batch: NotificationBatch): number =>
  askedBy(batch) === 'channel' ? 0 : Math.max(0, others.length - MOST_ASKED)

/** Whose word a late answer of the service has corrected or borne out. */
const findCorrection = ({ content: { outcome } }: Order): string | undefined =>
  outcome && outcome.kind !== 'unknown' ? outcome.corrects?.by : undefined

const isOpen = ({ state }: Order): boolean => state === 'awaiting' || state === 'unknown'

/** Where approvers are notified. */
interface Deciding {
  batch: NotificationBatch
  /** The approvals channel, if there is one. */
  channelId: string | undefined
  approvers: readonly string[]
}

/** The approvers, and whoever recorded an outcome before the service answered. */
async function alert(deciding: Deciding, order: Order, message: Message): Promise<void> {
  const about = `alert ${order.version}`
  await tellDeciding(deciding, message, about)
  const to = findCorrection(order)
  if (to !== undefined && to !== order.requesterId) await deciding.batch.notify({ to, about }, message)
}

/** Alerts approvers and the requester about two orders for one certificate. */
async function alarm(deciding: Deciding, order: Order, twins: readonly Order[]): Promise<void> {
  const about = `alarm ${order.version}`
  const message = alarmView(order, twins)
  await tellDeciding(deciding, message, about)
  await deciding.batch.notify({ to: order.requesterId, about }, message)
}

/** Of those who can approve, where no channel reaches all of them. */
const MOST_ASKED = 20

/** Into the approvals channel; where there is none or it is closed to the app or open to others, to the first who can approve. */
async function tellDeciding(
  { batch, channelId, approvers }: Deciding,
  message: Message,
  about?: string,
): Promise<void> {
  const told = batch.cards().filter((one) => one.about === about)
  if (told.some(({ to }) => to === undefined)) return
  if (channelId !== undefined && told.length === 0) {
    const isIn = await batch.notify({ channelId, about }, message)
    // A temporary failure is retried there, instead of messaging everyone.
    if (isIn !== 'refused') return
  }
  for (const to of approvers.slice(0, MOST_ASKED)) await batch.notify({ to, about }, message)
}

/** The newest step of an order, and the version of it that the requester is told of. */
interface Step {
  kind: string
  told: number
}

const noticeKey = (told: number): string => `notice ${told}`

/** The requester has one message with the current state, and a line in its thread for each later step. */
async function tellRequester(
  batch: NotificationBatch,
  order: Order,
  told: number,
  notice: Message,
  shown: Shown,
): Promise<void> {
  const mine = batch.cards().find(({ about, to }) => about === MINE && to === order.requesterId)
  const outcome = mine ? await batch.edit(mine, notice) : 'gone'
  if (!mine || outcome === 'gone') await batch.notify({ to: order.requesterId, about: MINE }, notice)
  else if (outcome === 'notified' && told > (mine.postedFor ?? 0))
    await batch.notify(
      { channelId: mine.channelId, threadTs: mine.ts, about: noticeKey(told) },
      stepView(order, shown),
    )
}

/** Whoever had requested it before sees who has it now, in the message about the order that was theirs. */
async function tellFormer(batch: NotificationBatch, order: Order, { people }: Shown): Promise<void> {
  for (const card of batch.cards())
    if (card.about === MINE && card.to !== order.requesterId) {
      const outcome = await batch.edit(card, handedOverView(order, people))
      if (outcome !== 'failed') await batch.drop(card)
    }
}

/** A reminder is none to the requester, who still has to hear of the step before it: that may not have reached them yet. */
function findStep({ version }: Order, events: readonly OrderEvent[]): Step {
  // Others may have taken a step since the order was read.
  const taken = events.slice(0, version)
  const told = taken.findLastIndex(({ kind }) => kind !== 'remind') + 1
  return { kind: taken.at(-1)?.kind ?? '', told }
}

/** What those who decide get beside the edited card: the card itself, where they have none; a word where they have one. */
function findDue(order: Order, { channelId }: OrderPolicy, kind: string): { card: boolean; alert: boolean } {
  const { cards, state, version } = order
  // A card of this very step, which an earlier attempt has posted, does not make another one due beside it.
  const hasCard = cards.some((card) => isCard(card) && card.postedFor !== version)
  // One who was not reached before is, when it is tried again.
  const card = state === 'awaiting' || (!hasCard && (state === 'unknown' || channelId !== undefined))
  const isNews = kind === 'remind' || state === 'unknown'
  return { card, alert: findCorrection(order) !== undefined || (hasCard && isNews) }
}
