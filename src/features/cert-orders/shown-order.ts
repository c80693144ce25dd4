import type { Workspace } from '@signalman/slack'
import { type JudgeParts, judgeOrder } from './judge-order.ts'
import { findDuplicates } from './placed-twice.ts'
import type { OrderRepository } from './rows/orders.ts'
import type { Order } from './rules/order.ts'
import { OPEN_ORDERS } from './rules/order-states.ts'
import type { Comparison, Names, Shown } from './rules/shown.ts'

const MAX_SEARCHED = 20

/** States of earlier orders with the same names that an approver should know about. */
const COMPARED_STATES = ['placed', ...OPEN_ORDERS] as const

/** Looks up earlier orders in the order's own environment. */
export async function compare(orders: Pick<OrderRepository, 'list'>, order: Order): Promise<Comparison> {
  const { workspaceId, environment, renewsId, keyHash, namesHash, number } = order
  const where = { workspaceId, environment, below: number, limit: MAX_SEARCHED }
  const [madeIt, renewedIt, ofKey, ofNames] = await Promise.all([
    renewsId === undefined ? [] : orders.list({ ...where, certificateId: renewsId, states: ['placed'] }),
    renewsId === undefined ? [] : orders.list({ ...where, renewsId, states: ['placed'] }),
    orders.list({ ...where, keyHash }),
    orders.list({ ...where, namesHash, states: COMPARED_STATES }),
  ])
  const { csr } = order.content.request
  const isSameCsr = (other: Order): boolean => other.content.request.csr === csr
  // A renewal has the same names as the certificate it renews.
  const isRemarked = (other: Order): boolean =>
    other.keyHash !== keyHash && (other.state !== 'placed' || renewsId === undefined)
  return {
    earlier: [...madeIt, ...renewedIt].sort((one, other) => other.number - one.number)[0],
    sameCsr: ofKey.filter(isSameCsr),
    sameKey: ofKey.filter((other) => !isSameCsr(other)),
    sameNames: ofNames.filter(isRemarked),
  }
}

export async function readShown(
  parts: JudgeParts & { nameOf: NameOf },
  order: Order,
): Promise<Shown & Required<Pick<Shown, 'twins' | 'comparison'>>> {
  const [judged, people, twins, comparison] = await Promise.all([
    judgeOrder(parts, order),
    findDisplayNames(order, parts.nameOf),
    findDuplicates(parts.orders, order),
    compare(parts.orders, order),
  ])
  return { ...judged, people, twins, comparison }
}

/** A person's display name. Throws when Slack is unavailable. */
export type NameOf = (where: Workspace, userId: string) => Promise<string>

/** Display names of everyone in an order, because a mention would notify them. Falls back to the ID. */
export async function findDisplayNames(order: Order, nameOf: NameOf): Promise<Names> {
  const { approvals, ending, outcome, requestedBefore = [] } = order.content
  const said = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [order.requesterId, ...requestedBefore, ending?.by, ...said, ...approvals.map(({ by }) => by)]
  const people = [...new Set(ids)].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(people.map(async (id) => [id, await nameOf(order, id).catch(() => id)] as const)),
  )
}
