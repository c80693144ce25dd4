import type { KnownBlock } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, divider, header } from '../../../blocks/layout.ts'
import type { Order } from '../order.ts'
import { orderRow } from './list.ts'

export interface HomeOrders {
  /** The orders that wait for this person, newest first, and their number; undefined for a person who decides nothing. */
  waiting: { orders: readonly Order[]; total: number } | undefined
  /** The person's own, newest first. */
  mine: readonly Order[]
}

/** The orders' part of App Home; empty for a person who neither decides on orders nor has any. */
export function homeBlocks({ waiting, mine }: HomeOrders): KnownBlock[] {
  if (!waiting && mine.length === 0) return []
  return [
    divider(),
    header('Certificate orders'),
    ...(waiting ? waitingBlocks(waiting) : []),
    ...(mine.length > 0 ? [context('My recent orders'), ...mine.map(orderRow)] : []),
    ...actions(
      commandButton('All orders', '/cert-order list'),
      commandButton('My orders', '/cert-order list --mine'),
    ),
  ]
}

function waitingBlocks({ orders, total }: NonNullable<HomeOrders['waiting']>): KnownBlock[] {
  if (total === 0) return [context('Nothing waits for your approval.')]
  const left = total - orders.length
  return [
    context(`Waits for your decision: ${total}`),
    ...orders.map(orderRow),
    ...(left > 0 ? [context(`${left} more: see all orders.`)] : []),
  ]
}
