import { isOpened } from '@signalman/durable'
import { clip, oneLine } from '@signalman/slack'
import { giveEach } from '../../bot/routes/give-each.ts'
import type { HandOver, HeldThing } from '../../bot/routes/routes.ts'
import type { CertOrderParts } from './create-cert-orders.ts'
import { type ListedOrder, mainName } from './rules/order.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'

const AT_ONCE = 200
const NAME = 100

/** A person's open orders. Former requesters can't approve an order if the policy requires somebody else. */
export const handOverOrders = ({ orders, service }: CertOrderParts): HandOver => ({
  one: 'certificate order',
  many: 'certificate orders',
  needs: async ({ workspaceId }) => (await service.policyOf(workspaceId)).requesters,

  async held({ workspaceId }, requesterId) {
    const found: HeldThing[] = []
    for (let below: number | undefined; ; ) {
      const page = await orders.listing({
        ...{ workspaceId, requesterId, states: OPEN_ORDERS, limit: AT_ONCE },
        ...(below !== undefined && { below }),
      })
      found.push(...page.map(toHandOver))
      below = page.at(-1)?.number
      if (page.length < AT_ONCE) return found
    }
  },

  give: (context, things, { from, to }) =>
    giveEach(things, ({ id }) => service.handOver(context, Number(id), { from, to: to.userId })),

  notes: () => [
    'Everyone who had requested an order still counts as its requester: if the policy doesn’t allow approving one’s own orders, none of them can approve it, and an approval that the new requester gave no longer counts.',
  ],
})

function toHandOver(order: ListedOrder): HeldThing {
  const { number, environment, state } = order
  const of = isOpened(order) ? ` for ${clip(oneLine(mainName(order.content.csr)), NAME)}` : ''
  const stays =
    state === 'submitting'
      ? 'It’s being placed right now.'
      : isOpened(order)
        ? undefined
        : 'Its content can’t be decrypted: see docs/keys.md.'
  return { id: String(number), environment, name: `Order ${number}${of}`, stays }
}
