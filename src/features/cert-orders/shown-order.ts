import type { Settings } from '@signalman/durable'
import type { Workspace } from '@signalman/slack'
import type { Order, OrderRepository } from './order.ts'
import { placedTwice } from './placed-twice.ts'
import { ORDER_POLICY } from './policy.ts'
import { type PolicyFor, policyFor, ruledOf } from './rules/rules.ts'

/** How an order stands to the ones before it. */
export interface Comparison {
  /** The newest placed order of the certificate that is renewed or reissued. */
  earlier: Order | undefined
  /** Earlier orders with the very same request, and others with its key. */
  sameCsr: readonly Order[]
  sameKey: readonly Order[]
}

export const NOTHING_EARLIER: Comparison = { earlier: undefined, sameCsr: [], sameKey: [] }

const CONSIDERED = 20

/** Looks the earlier orders up, in the order's own environment. */
export async function compare(orders: Pick<OrderRepository, 'list'>, order: Order): Promise<Comparison> {
  const { workspaceId, environment, certificateId, keyHash, number } = order
  const where = { workspaceId, environment, limit: CONSIDERED }
  const isAbout = order.content.request.certificateId ?? undefined
  const [ofCertificate, ofKey] = await Promise.all([
    isAbout === undefined ? [] : orders.list({ ...where, certificateId: isAbout }),
    keyHash === undefined ? [] : orders.list({ ...where, keyHash }),
  ])
  const before = (other: Order): boolean => other.number < number
  const { csr } = order.content.request
  const [sameCsr, sameKey] = [true, false].map((isSame) =>
    ofKey.filter((other) => before(other) && (other.content.request.csr === csr) === isSame),
  )
  return {
    earlier: ofCertificate.find(
      (other) => before(other) && other.state === 'placed' && other.certificateId === certificateId,
    ),
    sameCsr: sameCsr ?? [],
    sameKey: sameKey ?? [],
  }
}

/** What the views of an order show beside the order itself. */
export interface Shown {
  policy: PolicyFor
  people: Names
  /** Other orders for the same certificate that are placed too, or may be. */
  twins?: readonly Order[]
  /** How it stands to earlier orders. */
  comparison?: Comparison
  /** Why it waits although it was to be sent at once. */
  notSentBecause?: string | undefined
}

export async function readShown(
  {
    orders,
    settings,
    nameOf,
  }: { orders: Pick<OrderRepository, 'list'>; settings: Pick<Settings, 'get'>; nameOf: NameOf },
  order: Order,
): Promise<Shown & Required<Pick<Shown, 'twins' | 'comparison'>>> {
  const [policy, people, twins, comparison] = await Promise.all([
    settings.get(order.workspaceId, ORDER_POLICY),
    namesIn(order, nameOf),
    placedTwice(orders, order),
    compare(orders, order),
  ])
  return { policy: policyFor(policy, ruledOf(order)), people, twins, comparison }
}

/** Who people are, by the name that others know. */
export type Names = ReadonlyMap<string, string>

/** What people call somebody. Throws when Slack cannot be asked. */
export type NameOf = (where: Workspace, userId: string) => Promise<string>

/** Everyone named in an order, by the name that people know: a mention would call them. An id stands in for want of a name. */
export async function namesIn(order: Order, nameOf: NameOf): Promise<Names> {
  const { approvals, changes, ending, outcome } = order.content
  const said = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [order.requesterId, ending?.by, ...said, ...[...approvals, ...changes].map(({ by }) => by)]
  const people = [...new Set(ids)].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(people.map(async (id) => [id, await nameOf(order, id).catch(() => id)] as const)),
  )
}
