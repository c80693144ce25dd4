import { DONE, type LeasedWork, repeatAfter, type WorkEnd, type WorkKind } from '@signalman/durable'
import { HOUR_MS } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { MAX_REACHABLE, type Reachability } from '../../bot/access/reachable.ts'
import { type Outbox, openOutbox, type ShowResult } from '../../bot/posts/outbox.ts'
import type { PostDeps } from '../../bot/posts/post-once.ts'
import type { Place } from '../../bot/posts/poster.ts'
import { type DetailDeps, readOrderDetails } from './read-details.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import type { OrderDetails } from './rules/review.ts'
import { mayDecide, ORDER_SETTINGS } from './rules/settings.ts'
import { type Asked, cardView, noticeView, notWaitingView, outcomeView } from './views/messages.ts'

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
      const { id, version, workspaceId, environment, cards: shown } = order
      const details = await readOrderDetails(deps, order)
      const outbox = openOutbox(posting, leased, {
        name: `order ${id}`,
        target: { workspaceId, environment },
        ...{ version, shown },
        // Only this version's alerts: there may be one for each approver every day.
        store: (cards) =>
          orders.storeCards(
            order,
            cards.filter((card) => !card.key.startsWith('alert ') || card.version === version),
            leased,
          ),
        forOthers: order.state === 'awaiting' ? undefined : notWaitingView(order),
      })
      const kinds = (await orders.listEvents(order)).slice(0, version).map(({ kind }) => kind)
      const isEnding = order.state === 'received' && kinds.at(-1) === 'remind'
      const asked = await notifyApprovers(deps, outbox, order, details, kinds.at(-1))
      // While the order is being sent, the requester isn't notified, because the outcome follows.
      const noticed = isEnding ? version : kinds.findLastIndex((kind) => kind !== 'remind') + 1
      if (order.state !== 'submitting' && (await mayRead(deps, order, order.requesterId)))
        await notifyRequester(outbox, order, details, { noticed, asked })
      const end = outbox.finish()
      // Whoever becomes an approver is asked then.
      return end === DONE && asked === 'nobody' ? repeatAfter(HOUR_MS) : end
    },
  }
}

/** Somebody who has become a guest or left reads nothing more about an order, also if they requested it. */
const mayRead = async (
  { reachability }: NotifierDeps,
  { workspaceId }: Order,
  userId: string,
): Promise<boolean> => (await reachability.explainPerson({ workspaceId }, userId)) === undefined

/** Where a card is, by its key. */
function findCardPlace(key: string): Place | undefined {
  const [, preposition, id = ''] = /^card (in|to) (\S+)$/.exec(key) ?? []
  if (preposition === undefined) return undefined
  return preposition === 'in' ? { channelId: id } : { to: id }
}

/** Draws the approvers' cards, and alerts them if they have to do something. Returns who was asked. */
async function notifyApprovers(
  deps: NotifierDeps,
  outbox: Outbox,
  order: Order,
  details: OrderDetails,
  kind: string | undefined,
): Promise<Asked> {
  const { state, version, content } = order
  const isUndecided = state === 'awaiting' || state === 'unknown'
  const isCorrected = content.outcome?.kind !== 'unknown' && content.outcome?.corrects !== undefined
  const hadCard = order.cards.some((card) => card.key.startsWith('card ') && card.version !== version)
  const isUrgent = hadCard && (kind === 'remind' || state === 'unknown' || isCorrected)
  const card = cardView(order, details)
  const keys = await outbox.listKeys(findCardPlace)
  for (const key of keys) {
    const place = findCardPlace(key)
    if (place?.to === undefined || (await mayRead(deps, order, place.to)))
      await outbox.show({ ...place, key, content: card, isEdited: true })
  }
  const isInChannel = keys.some((key) => key.startsWith('card in '))
  const asked =
    isUndecided && !isInChannel
      ? await tell(deps, outbox, order, { about: 'card', content: card, isEdited: true })
      : 'enough'
  if (isUrgent) {
    const alert = {
      about: `alert ${version}`,
      content: noticeView(order, details, { canApprove: true }),
    } as const
    await tell(deps, outbox, order, alert, { onlyInChannel: !isUndecided && !isCorrected })
  }
  return asked
}

/**
 * Posts in the approvals channel. If there is none, or Slack refuses it, sends direct messages to the approvers, or else to admins: to the
 * first of these groups in which Slack accepts one. Returns who was asked.
 */
async function tell(
  { settings, reachability }: NotifierDeps,
  outbox: Outbox,
  order: Order,
  { about, ...message }: { about: 'card' | `alert ${number}`; content: Message; isEdited?: true },
  { onlyInChannel = false } = {},
): Promise<Asked> {
  const { workspaceId } = order
  const orderSettings = await settings.get(workspaceId, ORDER_SETTINGS)
  const { channelId } = orderSettings
  if (channelId && isAccepted(await outbox.show({ ...message, key: `${about} in ${channelId}`, channelId })))
    return 'enough'
  if (onlyInChannel) return 'nobody'
  for await (const people of reachability.listReachable({ workspaceId }, 'approver')) {
    let isAsked = false
    for (const to of people.filter((userId) => mayDecide(order, userId, orderSettings)))
      if (isAccepted(await outbox.show({ ...message, key: `${about} to ${to}`, to }))) isAsked = true
    if (isAsked) return people.length === MAX_REACHABLE ? 'some' : 'enough'
  }
  return 'nobody'
}

/** Whether the message is there, or is sent later: a temporary failure is retried there, instead of messaging others. */
const isAccepted = (result: ShowResult): boolean => typeof result === 'object' || result === 'later'

/** Edits the requester's message to show the current state, and replies in its thread for each later step. */
async function notifyRequester(
  outbox: Outbox,
  order: Order,
  details: OrderDetails,
  { noticed, asked }: { noticed: number; asked: Asked },
): Promise<void> {
  const { requesterId: to } = order
  const content = outcomeView(order, details, { isRequester: true }, asked)
  // Whether anybody was asked may turn out later.
  const isStale = order.state === 'awaiting'
  const mine = await outbox.show({ key: `mine to ${to}`, to, content, isEdited: true, isStale })
  if (typeof mine !== 'object' || mine.version >= noticed) return
  const thread = { channelId: mine.channelId, threadTs: mine.ts }
  await outbox.show({
    key: `step ${noticed}`,
    ...thread,
    version: noticed,
    content: noticeView(order, details, { isRequester: true }),
  })
}
