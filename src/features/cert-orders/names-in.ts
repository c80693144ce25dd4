import type { Where } from '../../bot/install/tenancy.ts'
import type { Order } from './order.ts'

/** What people call somebody. Throws when Slack cannot be asked. */
export type NameOf = (where: Where, userId: string) => Promise<string>

/** Everyone named in an order, by the name that people know: a mention would call them. An id stands in for want of a name. */
export async function namesIn(order: Order, nameOf: NameOf): Promise<ReadonlyMap<string, string>> {
  const { approvals, changes, ending, outcome } = order.content
  const said = outcome && outcome.kind !== 'unknown' ? [outcome.by, outcome.corrects?.by] : []
  const ids = [order.requesterId, ending?.by, ...said, ...[...approvals, ...changes].map(({ by }) => by)]
  const people = [...new Set(ids)].filter((id) => id !== undefined)
  return new Map(
    await Promise.all(people.map(async (id) => [id, await nameOf(order, id).catch(() => id)] as const)),
  )
}
