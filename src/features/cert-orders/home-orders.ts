import type { Requester, Rights } from '../../bot/routes/command-context.ts'
import { type NameOf, namesIn } from './names-in.ts'
import { isOpened, type OrderRepository } from './order.ts'
import type { OrderService } from './order-service.ts'
import { policyFor, ruledOf } from './rules/rules.ts'
import type { HomeOrders } from './views/home.ts'

const SHOWN = 5
/** Enough to pass over one's own, which under four eyes wait for others. */
const CONSIDERED = 100

/** What of the orders concerns this person. */
export async function readHomeOrders(
  {
    orders,
    service,
    nameOf,
  }: { orders: OrderRepository; service: Pick<OrderService, 'policyOf'>; nameOf: NameOf },
  context: Requester & Rights,
): Promise<HomeOrders> {
  const { workspaceId, userId } = context
  const [mine, decides] = await Promise.all([
    orders.listing({ workspaceId, requesterId: userId, limit: SHOWN }),
    context.hasRole(userId, 'approver'),
  ])
  if (!decides) return { mine, waiting: undefined }
  const [open, policy] = await Promise.all([
    orders.listing({ workspaceId, states: ['awaiting', 'unknown'], limit: CONSIDERED }),
    service.policyOf(workspaceId),
  ])
  const opened = open.filter(isOpened)
  const waiting = opened.filter(
    ({ requesterId, state, content }) =>
      (policy.direct || requesterId !== userId) &&
      (state === 'unknown' || !content.approvals.some(({ by }) => by === userId)),
  )
  const cards = waiting.slice(0, SHOWN).map(async (order) => ({
    order,
    people: await namesIn(order, nameOf),
    policy: policyFor(policy, ruledOf(order)),
  }))
  const unopened = open.length - opened.length
  return { mine, waiting: { cards: await Promise.all(cards), total: waiting.length, unopened } }
}
