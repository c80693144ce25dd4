import { isDecrypted } from '@signalman/durable'
import { clip, oneLine } from '@signalman/slack'
import { handOverEach } from '../../bot/routes/hand-over-each.ts'
import type { HandOver, OwnedItem } from '../../bot/routes/routes.ts'
import type { CertOrderDeps } from './create-cert-orders.ts'
import { getMainName, type ListedOrder } from './rules/order.ts'
import { OPEN_ORDER_STATES } from './rules/order-states.ts'
import { ORDER_POLICY } from './rules/policy.ts'
import { readEachOrder } from './search-orders.ts'

const MAX_NAME_LENGTH = 100

/** Hands over a person's open orders. Former requesters still can't approve them, unless the policy lets people approve their own. */
export const createOrderHandOver = ({ orders, service, settings }: CertOrderDeps): HandOver => ({
  singular: 'certificate order',
  plural: 'certificate orders',
  needs: async ({ workspaceId }) => (await settings.get(workspaceId, ORDER_POLICY)).requesters,

  async listOwned({ workspaceId }, requesterId) {
    const found: OwnedItem[] = []
    const filter = { workspaceId, requesterId, states: OPEN_ORDER_STATES }
    for await (const order of readEachOrder(orders, filter)) found.push(toOwnedItem(order))
    return found
  },

  transfer: (context, orders, { from, to }) =>
    handOverEach(orders, ({ id }) => service.handOver(context, Number(id), { from, to: to.userId })),

  notes: () => [
    'Former requesters still count as requesters. If the policy doesn’t let people approve their own orders, former requesters can’t approve the order, and an earlier approval by the new requester no longer counts.',
  ],
})

function toOwnedItem(order: ListedOrder): OwnedItem {
  const { number, environment, state } = order
  const undecryptableReason = isDecrypted(order)
    ? undefined
    : 'Its content can’t be decrypted: see docs/keys.md.'
  const suffix = isDecrypted(order)
    ? ` for ${clip(oneLine(getMainName(order.content.csr)), MAX_NAME_LENGTH)}`
    : ''
  return {
    id: String(number),
    environment,
    name: `Order ${number}${suffix}`,
    blockedReason: state === 'submitting' ? 'It’s being sent right now.' : undecryptableReason,
  }
}
