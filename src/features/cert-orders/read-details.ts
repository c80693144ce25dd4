import type { Settings } from '@signalman/durable'
import type { Workspace } from '@signalman/slack'
import type { StoredOrders } from './rows/orders.ts'
import { listCertificateNames } from './rules/host-names.ts'
import type { Order, RequestedContent } from './rules/order.ts'
import { OPEN_ORDER_STATES } from './rules/order-states.ts'
import type { DisplayNames, OrderDetails, SimilarOrder } from './rules/review.ts'
import { ORDER_SETTINGS } from './rules/settings.ts'

export interface DetailDeps {
  orders: Pick<StoredOrders, 'scan' | 'readTime'>
  settings: Pick<Settings, 'get'>
  /** Throws when Slack is unavailable. */
  people: { readPerson(where: Workspace, userId: string): Promise<{ readonly name: string }> }
}

const MAX_COMPARED = 200

/**
 * The open orders with a name of this one, among the newest. The spelling of names doesn't matter, and wildcards cover nothing.
 */
export async function listSimilar(
  { orders }: { orders: Pick<StoredOrders, 'scan'> },
  {
    id,
    content,
    workspaceId,
    environment,
  }: Pick<Order, 'id' | 'workspaceId' | 'environment'> & { content: RequestedContent },
): Promise<SimilarOrder[]> {
  const names = new Set(listCertificateNames(content.csr).map(({ text }) => text))
  const similar: SimilarOrder[] = []
  const filter = { workspaceId, environment, states: OPEN_ORDER_STATES, limit: MAX_COMPARED }
  for await (const { id: otherId, number, state, content } of orders.scan(filter))
    if (otherId !== id && listCertificateNames(content.csr).some(({ text }) => names.has(text)))
      similar.push({ number, state })
  return similar
}

export async function readOrderDetails(deps: DetailDeps, order: Order): Promise<OrderDetails> {
  const { orders, settings } = deps
  const [{ domains }, similar, now, people] = await Promise.all([
    settings.get(order.workspaceId, ORDER_SETTINGS),
    order.state === 'awaiting' ? listSimilar(deps, order) : [],
    orders.readTime(),
    findDisplayNames(deps, order),
  ])
  return { now, people, domains, similar }
}

/** Looks up the names of everyone in an order, because a mention would notify them. Falls back to their IDs. */
async function findDisplayNames({ people }: DetailDeps, order: Order): Promise<DisplayNames> {
  const { approval, rejection, outcome } = order.content
  const recorders = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [order.requesterId, approval?.by, rejection?.by, ...recorders].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const { name } = await people.readPerson(order, id).catch(() => ({ name: id }))
        return [id, name] as const
      }),
    ),
  )
}
