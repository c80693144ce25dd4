import type { Database } from '@signalman/durable'

/** Counts the orders of all workspaces whose outcome is unknown. */
export async function countUnknownOrders({ reading }: Pick<Database, 'reading'>): Promise<number> {
  const { count } = await reading
    .selectFrom('cert_order')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('state', '=', 'unknown')
    .executeTakeFirstOrThrow()
  return Number(count)
}
