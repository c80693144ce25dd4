import type { Settings, WorkKind } from '@signalman/durable'
import { isPassing, type Message, slackAnswer } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import {
  type BatchParts,
  isCard,
  type NotificationBatch,
  notificationBatch,
  REQUESTER_KEY,
} from './notification-batch.ts'
import { raisesAlert } from './placed-twice.ts'
import type { OrderRepository } from './rows/orders.ts'
import type { OrderEvent } from './rows/row.ts'
import { ORDER_WORK } from './rows/writing.ts'
import { hasRequested, type Order } from './rules/order.ts'
import type { OrderPolicy } from './rules/policy.ts'
import type { Shown } from './rules/shown.ts'
import { type NameOf, readShown } from './shown-order.ts'
import {
  alertView,
  cardView,
  duplicateAlertView,
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
  /** Redraws App Home for everyone in the workspace who has it open; absent if there is no App Home. */
  redrawHomes?: ((workspaceId: string) => Promise<void>) | undefined
}

/** Notifies people about an order's newest step. The next run handles steps taken meanwhile. */
export function orderNotifier(parts: NotifierParts): WorkKind {
  const { orders, findHolders, report } = parts

  async function announce(order: Order, { kind, told }: Step, batch: NotificationBatch): Promise<void> {
    const shown = await readShown(parts, order)
    const { policy, people, twins } = shown
    const found = await listApprovers(order, policy, twins, batch)
    const deciding: Approvers = { batch, channelId: policy.channelId, approvers: found ?? [] }
    await batch.findLostCards()
    const card = cardView(order, shown)
    for (const at of batch.cards().filter(isCard)) await batch.edit(at, card)
    const due = findDueMessage(order, policy, kind)
    // The requester has their own message, with the same buttons if they may approve.
    const others = deciding.approvers.filter((id) => id !== order.requesterId)
    if (due.card) await notifyApprovers({ ...deciding, approvers: others }, card)
    if (due.alert) await sendAlert(deciding, order, alertView(order, people, shown))
    if (raisesAlert(order, twins)) await alertDuplicates(deciding, order, twins)
    // The message can't say who was asked before that is known.
    await notifyFormerRequesters(batch, order, shown)
    if (order.state === 'submitting' || !found) return
    const asked = found.length > 0 ? 'people' : whoWasAsked(batch)
    const notNotified = countNotNotified(others, batch)
    const decides = found.includes(order.requesterId)
    await notifyRequester(
      batch,
      order,
      told,
      noticeView(order, { ...shown, asked, notNotified, decides }),
      shown,
    )
  }

  /** The approvers, while there is something for them to decide or read; undefined while Slack can't say who they are. */
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
      // Nobody waits for it, and it sends no message again.
      void parts.redrawHomes?.(order.workspaceId)
      return batch.finish()
    },
  }
}

/** Nobody is known to be able to approve, but the card is in a channel. */
const whoWasAsked = (batch: NotificationBatch): WhoIsAsked =>
  batch.cards().some((card) => isCard(card) && card.to === undefined) ? 'channel' : 'nobody'

/** How many of the approvers weren't notified. */
const countNotNotified = (others: readonly string[], batch: NotificationBatch): number =>
  whoWasAsked(batch) === 'channel' ? 0 : Math.max(0, others.length - MAX_ASKED)

/** The person whose recorded outcome a late answer has corrected or confirmed. */
const findCorrection = ({ content: { outcome } }: Order): string | undefined =>
  outcome && outcome.kind !== 'unknown' ? outcome.corrects?.by : undefined

const isOpen = ({ state }: Order): boolean => state === 'awaiting' || state === 'unknown'

/** Where approvers are notified. */
interface Approvers {
  batch: NotificationBatch
  /** The approvals channel, if there is one. */
  channelId: string | undefined
  approvers: readonly string[]
}

/** The approvers, and whoever recorded an outcome before the service answered. */
async function sendAlert(deciding: Approvers, order: Order, message: Message): Promise<void> {
  const about = `alert ${order.version}`
  await notifyApprovers(deciding, message, about)
  const to = findCorrection(order)
  if (to !== undefined && to !== order.requesterId) await deciding.batch.notify({ to, about }, message)
}

/** Alerts approvers and the requester about two orders for one certificate. */
async function alertDuplicates(deciding: Approvers, order: Order, twins: readonly Order[]): Promise<void> {
  const about = `alarm ${order.version}`
  const message = duplicateAlertView(order, twins)
  await notifyApprovers(deciding, message, about)
  await deciding.batch.notify({ to: order.requesterId, about }, message)
}

/** Only some of the approvers, if no channel reaches them all. */
const MAX_ASKED = 20

/**
 * Posts in the approvals channel. Without one, or if the app can't post there or outsiders can read it, messages the first
 * approvers.
 */
async function notifyApprovers(
  { batch, channelId, approvers }: Approvers,
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
  for (const to of approvers.slice(0, MAX_ASKED)) await batch.notify({ to, about }, message)
}

/** An order's newest step, and the version that the requester was notified about. */
interface Step {
  kind: string
  told: number
}

const noticeKey = (told: number): string => `notice ${told}`

/** The requester has one message with the current state, and a line in its thread for each later step. */
async function notifyRequester(
  batch: NotificationBatch,
  order: Order,
  told: number,
  notice: Message,
  shown: Shown,
): Promise<void> {
  const mine = batch.cards().find(({ about, to }) => about === REQUESTER_KEY && to === order.requesterId)
  const outcome = mine ? await batch.edit(mine, notice) : 'gone'
  if (!mine || outcome === 'gone') await batch.notify({ to: order.requesterId, about: REQUESTER_KEY }, notice)
  else if (outcome === 'notified' && told > (mine.postedFor ?? 0))
    await batch.notify(
      { channelId: mine.channelId, threadTs: mine.ts, about: noticeKey(told) },
      stepView(order, shown),
    )
}

/** The previous requester sees the new one in the message that they already have. */
async function notifyFormerRequesters(
  batch: NotificationBatch,
  order: Order,
  { people }: Shown,
): Promise<void> {
  for (const card of batch.cards())
    if (card.about === REQUESTER_KEY && card.to !== order.requesterId) {
      const outcome = await batch.edit(card, handedOverView(order, people))
      if (outcome !== 'failed') await batch.drop(card)
    }
}

/** The requester gets no reminders, but may not have been notified of the step before it yet. */
function findStep({ version }: Order, events: readonly OrderEvent[]): Step {
  // Others may have taken a step since the order was read.
  const taken = events.slice(0, version)
  const told = taken.findLastIndex(({ kind }) => kind !== 'remind') + 1
  return { kind: taken.at(-1)?.kind ?? '', told }
}

/** What approvers get besides the edited card: the card itself if they have none, otherwise a short message. */
function findDueMessage(
  order: Order,
  { channelId }: OrderPolicy,
  kind: string,
): { card: boolean; alert: boolean } {
  const { cards, state, version } = order
  // A retry must not count the card that an earlier attempt has posted for this step.
  const hasCard = cards.some((card) => isCard(card) && card.postedFor !== version)
  // Approvers who weren't reached before get it on a retry.
  const card = state === 'awaiting' || (!hasCard && (state === 'unknown' || channelId !== undefined))
  const isNews = kind === 'remind' || state === 'unknown'
  return { card, alert: findCorrection(order) !== undefined || (hasCard && isNews) }
}
