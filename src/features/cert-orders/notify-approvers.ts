import type { Message } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import { forAdmin } from '../../bot/posts/notify-owner.ts'
import type { NotificationBatch } from './notification-batch.ts'
import type { Order } from './rules/order.ts'

/** The approvers, and where to notify them. */
export interface ApproverRecipients {
  batch: NotificationBatch
  /** The approvals channel, if there is one. */
  channelId: string | undefined
  approvers: readonly string[]
  listReachable: (userIds: readonly string[]) => Promise<readonly string[]>
}

/** The admin who gets what the requester can't get anymore; undefined if the requester can be notified. */
export async function findStandIn(
  reachability: Pick<Reachability, 'explainPerson' | 'findAdmin'>,
  { workspaceId, enterpriseId, requesterId }: Order,
): Promise<{ to: string; readdress: (message: Message) => Message } | undefined> {
  const workspace = { workspaceId, enterpriseId }
  const reason = await reachability.explainPerson(workspace, requesterId)
  if (reason === undefined) return undefined
  const to = await reachability.findAdmin(workspace, [requesterId])
  if (to === undefined) throw new Error('Neither the requester of an order nor an admin can be notified.')
  return { to, readdress: (message) => forAdmin(message, requesterId, reason) }
}

/** The maximum number of approvers who get direct messages if the channel can't be used. */
export const MAX_DIRECT_MESSAGES = 20

/**
 * Posts in the approvals channel. If there is none, the app can't post there, or outsiders can read it, sends direct messages to the
 * first approvers who can be notified, or else to an admin.
 */
export async function notifyApprovers(
  { batch, channelId, approvers, listReachable }: ApproverRecipients,
  message: Message,
  about?: string,
): Promise<void> {
  const sentCards = batch.cards().filter((card) => card.about === about)
  if (sentCards.some(({ to }) => to === undefined)) return
  if (channelId !== undefined && sentCards.length === 0) {
    const result = await batch.notify({ channelId, about }, message)
    // A temporary failure is retried there, instead of messaging everyone.
    if (result !== 'refused') return
  }
  for (const to of await listReachable(approvers)) await batch.notify({ to, about }, message)
}
