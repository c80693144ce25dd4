import type { Message } from '@signalman/slack'
import type { NotificationBatch } from './notification-batch.ts'

/** The approvers, and where to notify them. */
export interface ApproverRecipients {
  batch: NotificationBatch
  /** The approvals channel, if there is one. */
  channelId: string | undefined
  approvers: readonly string[]
  listReachable: (userIds: readonly string[]) => Promise<readonly string[]>
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
