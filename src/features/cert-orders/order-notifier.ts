import type { WorkKind } from '@signalman/durable'
import { classifyFailure, isTemporary, type Message } from '@signalman/slack'
import type { FindHolders } from '../../bot/access/holders.ts'
import type { Reachability } from '../../bot/access/reachable.ts'
import {
  type BatchDeps,
  BLOCKED_KEY,
  createNotificationBatch,
  isCard,
  type NotificationBatch,
  REQUESTER_KEY,
} from './notification-batch.ts'
import {
  type ApproverRecipients,
  findStandIn,
  MAX_DIRECT_MESSAGES,
  notifyApprovers,
} from './notify-approvers.ts'
import { type LookUpName, readOrderDetails, shouldAlertAboutDuplicates } from './read-order-details.ts'
import { ORDER_WORK, type OrderEvent } from './rows/order-writer.ts'
import type { StoredOrders } from './rows/orders.ts'
import { hasRequested, type Order } from './rules/order.ts'
import type { OrderDetails } from './rules/order-details.ts'
import { ORDER_STATES } from './rules/order-states.ts'
import type { OrderPolicy } from './rules/policy.ts'
import type { RuleDeps } from './transition-order.ts'
import {
  alertView,
  blockedView,
  cardView,
  duplicateAlertView,
  handedOverView,
  noticeView,
  stepView,
} from './views/messages.ts'

export interface NotifierDeps extends BatchDeps, RuleDeps {
  orders: StoredOrders
  reachability: Pick<Reachability, 'explainPerson' | 'findAdmin'>
  findHolders: FindHolders
  lookUpName: LookUpName
  /** Redraws App Home for everyone in the workspace who has it open. Never rejects. */
  redrawHomes: (workspaceId: string) => Promise<void>
}

/** Notifies people about an order's newest step. A step taken during the run is handled by the next run. */
export function createOrderNotifier(deps: NotifierDeps): WorkKind {
  const { orders, findHolders, reachability } = deps
  const { reportError } = deps.posting

  async function notifyAboutStep(
    order: Order,
    { kind, noticeVersion }: NewestStep,
    batch: NotificationBatch,
    details: OrderDetails,
  ): Promise<void> {
    const { policy, people, duplicates } = details
    const approvers = await listApprovers(order, details, batch)
    const recipients: ApproverRecipients = {
      batch,
      channelId: policy.channelId,
      approvers: approvers ?? [],
      listReachable: (ids) => listReachable(order, ids).catch(batch.failWith([])),
    }
    await batch.findLostCards()
    const card = cardView(order, details)
    for (const sentCard of batch.cards().filter(isCard)) await batch.edit(sentCard, card)
    const messages = decideMessages(order, policy, kind)
    // The requester has their own message, with the same buttons if they may approve.
    const others = recipients.approvers.filter((id) => id !== order.requesterId)
    if (messages.card) await notifyApprovers({ ...recipients, approvers: others }, card)
    if (messages.alert) await sendAlert(recipients, order, alertView(order, people, details))
    if (shouldAlertAboutDuplicates(order, duplicates)) await alertDuplicates(recipients, order, duplicates)
    await notifyFormerRequesters(batch, order, details)
    // While the order is being sent, the requester isn't notified, because the outcome follows. Their message says who was asked,
    // so if the approvers couldn't be listed, a retry sends it.
    if (order.state === 'submitting' || !approvers) return
    if (await notifyInsteadOfLeaver(recipients, order, noticeVersion, details)) return
    await notifyAboutBlock(batch, order, details)
    const notice = noticeView(order, { ...details, ...describeAsked(recipients, order) })
    await notifyRequesterOrAdmin(batch, order, noticeVersion, notice, details).catch(
      batch.failWith(undefined),
    )
  }

  /** Notifies the requester, or an admin if the requester has left or can't use Signalman anymore. */
  async function notifyRequesterOrAdmin(
    batch: NotificationBatch,
    order: Order,
    noticeVersion: number,
    notice: Message,
    details: OrderDetails,
  ): Promise<void> {
    const standIn = await findStandIn(reachability, order)
    if (!standIn) return notifyRequester(batch, order, noticeVersion, notice, details)
    // With the version, so that an admin gets each step once.
    await batch.notify({ to: standIn.to, about: `requester ${order.version}` }, standIn.readdress(notice))
  }

  /** The approvers to notify; empty if there's nothing for them to do or know; undefined if Slack is temporarily unavailable. */
  async function listApprovers(
    order: Order,
    { policy: { direct }, duplicates, hasRequesterLeft }: OrderDetails,
    batch: NotificationBatch,
  ): Promise<string[] | undefined> {
    const needsDecision = order.state === 'awaiting' || order.state === 'unknown' || hasRequesterLeft
    if (!needsDecision && duplicates.length === 0 && findCorrectedPerson(order) === undefined) return []
    try {
      const holders = await findHolders(order, 'approver')
      return holders.filter((id) => direct || !hasRequested(order, id))
    } catch (error) {
      if (isTemporary(classifyFailure(error))) return batch.failWith(undefined)(error)
      reportError(error, 'Could not list the people who can approve orders.')
      return []
    }
  }

  /** Leaves out approvers who have left or can't use Signalman anymore. If that is all of them, returns an admin instead. */
  async function listReachable(order: Order, userIds: readonly string[]): Promise<readonly string[]> {
    const workspace = { workspaceId: order.workspaceId, enterpriseId: order.enterpriseId }
    const reachable: string[] = []
    for (const userId of userIds) {
      if (reachable.length === MAX_DIRECT_MESSAGES) break
      if ((await reachability.explainPerson(workspace, userId)) === undefined) reachable.push(userId)
    }
    if (reachable.length > 0 || userIds.length === 0) return reachable
    const admin = await reachability.findAdmin(workspace, [...userIds, order.requesterId])
    if (admin === undefined) throw new Error('Nobody who can approve the order can be notified.')
    return [admin]
  }

  return {
    kind: ORDER_WORK.notice,
    lane: 'send',
    // Retries even if Slack is unavailable for a day.
    maxAttempts: Number.MAX_SAFE_INTEGER,
    async run(leased) {
      const order = await orders.get(leased.work.key ?? '')
      if (!order) return { state: 'done' }
      const step = findNewestStep(order, await orders.listEvents(order))
      const batch = createNotificationBatch(deps, order, leased, noticeKey(step.noticeVersion))
      const details = await readOrderDetails(deps, order)
      await notifyAboutStep(order, step, batch, details)
      await redrawRelated(deps, order, details)
      // Not awaited, because a failure here must not send the messages again.
      void deps.redrawHomes(order.workspaceId)
      return batch.finish()
    },
  }
}

/** Redraws the waiting orders that a sent or ended order touches, because their cards name it and its state. */
async function redrawRelated(
  { orders }: Pick<NotifierDeps, 'orders'>,
  order: Order,
  { comparison }: OrderDetails,
): Promise<void> {
  if (!REDRAWING_STATES.includes(order.state)) return
  await orders.redraw(
    comparison.related.flatMap(({ order: other }) => (other.state === 'awaiting' ? [other] : [])),
  )
}

/** One that waits redraws nothing, because any member can request one. One that is being sent does when its outcome is known. */
const REDRAWING_STATES: readonly Order['state'][] = ORDER_STATES.filter(
  (state) => state !== 'awaiting' && state !== 'submitting',
)

/** Tells the requester once that the policy blocks their order. */
async function notifyAboutBlock(
  batch: NotificationBatch,
  order: Order,
  { judgment }: OrderDetails,
): Promise<void> {
  if (order.state === 'awaiting' && judgment.decision === 'deny')
    await batch.notify({ to: order.requesterId, about: BLOCKED_KEY }, blockedView(order, judgment.reasons))
}

/** Who was asked to approve an order, for its requester. */
function describeAsked({ batch, approvers }: ApproverRecipients, { requesterId }: Order) {
  const isInChannel = batch.cards().some((card) => isCard(card) && card.to === undefined)
  const others = approvers.filter((id) => id !== requesterId)
  const audience = isInChannel ? ('channel' as const) : ('nobody' as const)
  return {
    audience: approvers.length > 0 ? ('people' as const) : audience,
    notNotified: isInChannel ? 0 : Math.max(0, others.length - MAX_DIRECT_MESSAGES),
    canApprove: approvers.includes(requesterId),
  }
}

/** The person who recorded an outcome that a late answer has corrected or confirmed. */
const findCorrectedPerson = ({ content: { outcome } }: Order): string | undefined =>
  outcome && outcome.kind !== 'unknown' ? outcome.corrects?.by : undefined

/** Alerts the approvers and the person who recorded an outcome before the service answered. */
async function sendAlert(recipients: ApproverRecipients, order: Order, message: Message): Promise<void> {
  const about = `alert ${order.version}`
  await notifyApprovers(recipients, message, about)
  const to = findCorrectedPerson(order)
  if (to !== undefined && to !== order.requesterId) await recipients.batch.notify({ to, about }, message)
}

/** Alerts the approvers and the requester that the service has or may have another order for the same certificate. */
async function alertDuplicates(
  recipients: ApproverRecipients,
  order: Order,
  duplicates: readonly Order[],
): Promise<void> {
  const about = `alarm ${order.version}`
  const message = duplicateAlertView(order, duplicates)
  await notifyApprovers(recipients, message, about)
  await recipients.batch.notify({ to: order.requesterId, about }, message)
}

/** An order's newest step, and the newest version that the requester should hear about. */
interface NewestStep {
  kind: string
  noticeVersion: number
}

/** The `about` of a reply in the thread of the requester's message. */
const noticeKey = (noticeVersion: number): string => `notice ${noticeVersion}`

/** Edits the requester's message to show the current state, and replies in its thread for each later step. */
async function notifyRequester(
  batch: NotificationBatch,
  order: Order,
  noticeVersion: number,
  notice: Message,
  details: OrderDetails,
): Promise<void> {
  const requesterMessage = batch
    .cards()
    .find(({ about, to }) => about === REQUESTER_KEY && to === order.requesterId)
  const outcome = requesterMessage ? await batch.edit(requesterMessage, notice) : 'gone'
  if (!requesterMessage || outcome === 'gone')
    await batch.notify({ to: order.requesterId, about: REQUESTER_KEY }, notice)
  else if (outcome === 'notified' && noticeVersion > (requesterMessage.postedFor ?? 0))
    await batch.notify(
      {
        channelId: requesterMessage.channelId,
        threadTs: requesterMessage.ts,
        about: noticeKey(noticeVersion),
      },
      stepView(order, details),
    )
}

/**
 * If the requester has left, the last approver gets what follows, or else the approvers. While the order waits, its card is enough.
 * Returns false if somebody else has to be found.
 */
async function notifyInsteadOfLeaver(
  recipients: ApproverRecipients,
  order: Order,
  noticeVersion: number,
  details: OrderDetails,
): Promise<boolean> {
  const { batch, channelId, approvers } = recipients
  if (!details.hasRequesterLeft) return false
  const to = order.content.approvals.findLast(({ by }) => by !== order.requesterId)?.by
  if (to === undefined && channelId === undefined && approvers.length === 0) return false
  if (order.state === 'awaiting') return true
  const about = `instead ${noticeVersion}`
  const message = stepView(order, details)
  if (to !== undefined) await batch.notify({ to, about }, message)
  else await notifyApprovers(recipients, message, about)
  return true
}

/** Edits the former requesters' messages to name the new requester. */
async function notifyFormerRequesters(
  batch: NotificationBatch,
  order: Order,
  { people }: OrderDetails,
): Promise<void> {
  for (const card of batch.cards())
    if (card.about === REQUESTER_KEY && card.to !== order.requesterId) {
      const outcome = await batch.edit(card, handedOverView(order, people))
      if (outcome !== 'failed') await batch.drop(card)
    }
}

/** The requester's thread has no reply for these: reminders are for approvers. */
const STEPS_WITHOUT_REPLY: readonly string[] = ['remind']

/** Finds the newest step. `noticeVersion` skips those of `STEPS_WITHOUT_REPLY`. */
function findNewestStep({ version }: Order, events: readonly OrderEvent[]): NewestStep {
  // Others may have taken a step since the order was read.
  const steps = events.slice(0, version)
  const noticeVersion = steps.findLastIndex(({ kind }) => !STEPS_WITHOUT_REPLY.includes(kind)) + 1
  return { kind: steps.at(-1)?.kind ?? '', noticeVersion }
}

/** Decides whether approvers get a new card, because they have none yet, or a short alert besides the edited card. */
function decideMessages(
  order: Order,
  { channelId }: OrderPolicy,
  kind: string,
): { card: boolean; alert: boolean } {
  const { cards, state, version } = order
  // Ignores a card that an earlier attempt posted for this step.
  const hasCard = cards.some((card) => isCard(card) && card.postedFor !== version)
  // True for every step while the order awaits approval, so that a retry reaches approvers that an earlier attempt missed.
  const card = state === 'awaiting' || (!hasCard && (state === 'unknown' || channelId !== undefined))
  const isUrgent = kind === 'remind' || state === 'unknown'
  return { card, alert: findCorrectedPerson(order) !== undefined || (hasCard && isUrgent) }
}
