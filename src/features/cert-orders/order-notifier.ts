import { DONE, type LeasedWork, type WorkEnd, type WorkKind } from '@signalman/durable'
import type { Message } from '@signalman/slack'
import { MAX_REACHABLE, type Reachability } from '../../bot/access/reachable.ts'
import type { PostDeps } from '../../bot/posts/post-or-edit.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { type DetailDeps, readOrderDetails } from './read-details.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import type { OrderDetails } from './rules/review.ts'
import { mayDecide, ORDER_SETTINGS, type OrderSettings } from './rules/settings.ts'
import { type Asked, alertView, cardView, outcomeView, stepView } from './views/messages.ts'

export interface NotifierDeps extends DetailDeps {
  posting: PostDeps
  orders: StoredOrders
  reachability: Pick<Reachability, 'listReachable' | 'explainPerson'>
}

/** Notifies people about an order's newest step. A step taken during the run is handled by the next run. */
export function createOrderNotifier(deps: NotifierDeps): WorkKind {
  const { orders, posting } = deps
  return {
    kind: ORDER_WORK.notice,
    lane: 'send',
    // Retries even if Slack is unavailable for a day.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(leased: LeasedWork): Promise<WorkEnd> {
      const order = await orders.get(leased.work.key ?? '')
      if (!order) return DONE
      const details = await readOrderDetails(deps, order)
      const outbox = createOutbox(posting, orders, leased, order)
      const kinds = (await orders.listEvents(order)).slice(0, order.version).map(({ kind }) => kind)
      const isEnding = order.state === 'received' && kinds.at(-1) === 'remind'
      const asked = await notifyApprovers(deps, outbox, order, details, kinds.at(-1))
      // While the order is being sent, the requester isn't notified, because the outcome follows.
      const noticed = isEnding ? order.version : kinds.findLastIndex((kind) => kind !== 'remind') + 1
      if (order.state !== 'submitting' && (await mayRead(deps, order, order.requesterId)))
        await notifyRequester(outbox, order, details, { noticed, asked })
      return outbox.finish()
    },
  }
}

/** Somebody who has become a guest or left reads nothing more about an order, also if they requested it. */
const mayRead = async (
  { reachability }: NotifierDeps,
  { workspaceId, enterpriseId }: Order,
  userId: string,
): Promise<boolean> => (await reachability.explainPerson({ workspaceId, enterpriseId }, userId)) === undefined

/** Draws the approvers' cards, and alerts them if they have to do something. Returns who was asked. */
async function notifyApprovers(
  deps: NotifierDeps,
  outbox: Outbox,
  order: Order,
  details: OrderDetails,
  kind: string | undefined,
): Promise<Asked> {
  const { settings, reachability } = deps
  const orderSettings = await settings.get(order.workspaceId, ORDER_SETTINGS)
  const { channelId } = orderSettings
  const isUndecided = order.state === 'awaiting' || order.state === 'unknown'
  const { approvers, mayBeMore } = isUndecided
    ? await listApprovers(reachability, order, orderSettings)
    : NOBODY
  const card = cardView(order, details)
  const keys = await outbox.listCardKeys()
  for (const key of keys) {
    const [, to] = /^card to (\S+)$/.exec(key) ?? []
    if (to === undefined || (await mayRead(deps, order, to))) await outbox.show(key, card)
  }
  let isInChannel = keys.some((key) => key.startsWith('card in '))
  if (isUndecided && !isInChannel) isInChannel = await tell(outbox, 'card', card, { channelId, approvers })
  if (isUrgent(order, kind))
    await tell(outbox, `alert ${order.version}`, alertView(order, details), { channelId, approvers })
  if (isInChannel) return 'enough'
  if (approvers.length === 0) return 'nobody'
  return mayBeMore ? 'some' : 'enough'
}

const NOBODY = { approvers: [], mayBeMore: false }

/** Whom to ask to approve: approvers, or else admins who can be notified. Empty if there is nobody. */
async function listApprovers(
  { listReachable }: NotifierDeps['reachability'],
  order: Order,
  settings: OrderSettings,
): Promise<{ approvers: readonly string[]; mayBeMore: boolean }> {
  const { workspaceId, enterpriseId } = order
  for await (const people of listReachable({ workspaceId, enterpriseId }, 'approver')) {
    const approvers = people.filter((userId) => mayDecide(order, userId, settings))
    if (approvers.length > 0) return { approvers, mayBeMore: people.length === MAX_REACHABLE }
  }
  return NOBODY
}

/** Whether approvers who have a card from an earlier step get a short message besides. */
function isUrgent({ state, version, cards, content: { outcome } }: Order, kind: string | undefined): boolean {
  const hadCard = cards.some((card) => card.key.startsWith('card ') && card.version !== version)
  const isCorrected = outcome?.kind !== 'unknown' && outcome?.corrects !== undefined
  return hadCard && (kind === 'remind' || state === 'unknown' || isCorrected)
}

/** Posts in the approvals channel. If there is none, or Slack refuses it, sends each approver a direct message, and returns false. */
async function tell(
  outbox: Outbox,
  about: 'card' | `alert ${number}`,
  message: Message,
  { channelId, approvers }: { channelId: string | undefined; approvers: readonly string[] },
): Promise<boolean> {
  // A temporary failure is retried there, instead of messaging everyone.
  if (channelId !== undefined && (await outbox.show(`${about} in ${channelId}`, message)) !== 'refused')
    return true
  for (const to of approvers) await outbox.show(`${about} to ${to}`, message)
  return false
}

/** Edits the requester's message to show the current state, and replies in its thread for each later step. */
async function notifyRequester(
  outbox: Outbox,
  order: Order,
  details: OrderDetails,
  { noticed, asked }: { noticed: number; asked: Asked },
): Promise<void> {
  const mine = await outbox.show(
    `mine to ${order.requesterId}`,
    outcomeView(order, details, { isRequester: true }, asked),
  )
  if (typeof mine === 'object' && (mine.version ?? 0) < noticed)
    await outbox.show(`step ${noticed}`, stepView(order, details))
}
