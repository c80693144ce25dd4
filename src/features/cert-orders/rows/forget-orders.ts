import type { Database, WorkspaceKeys } from '@signalman/durable'
import { forgetOrder } from './forget-order.ts'
import { orderTurn } from './writing.ts'

/** Orders in one transaction, for which every other write waits on SQLite. */
const BATCH = 20

/**
 * Ends what is open of a workspace's certificate orders, without a word to anybody, and takes the CSR, the contacts and the
 * service's answer out of all of them. Nothing is due or told of them any more. An order whose content does not open is
 * deleted. Requests are let in between; after a kill, the same call again goes on. Returns how many orders there were to
 * change.
 */
export async function forgetOrders(
  { kind, rows, inTurn }: Database,
  keys: WorkspaceKeys,
  workspaceId: string,
  at: string,
): Promise<number> {
  // Whoever installs the app again meanwhile may place new orders. Those that are being added are waited for.
  const { end } = await inTurn(orderTurn(workspaceId), (transaction) =>
    transaction
      .selectFrom('cert_order')
      .select(({ fn }) => fn.max('number').as('end'))
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow(),
  )
  if (end === null) return 0
  let changed = 0
  let last: number | undefined = 0
  while (last !== undefined) {
    const after: number = last
    await keys.freshSealer(workspaceId)
    last = await rows.transaction().execute(async (transaction) => {
      const batch = transaction
        .selectFrom('cert_order')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('number', '>', after)
        .where('number', '<=', end)
        .orderBy('number')
        .limit(BATCH)
      // Whoever is taking a step of one of them is waited for. On SQLite the transaction shuts out every other writer.
      const found = await (kind === 'postgres' ? batch.forUpdate() : batch).execute()
      // With these held: another replica that forgets the workspace too has either sealed them anew, and the key in use is
      // its key, or waits, and will.
      const sealer = await keys.freshSealerIn(transaction, workspaceId)
      if (sealer === undefined) return after
      const opener = await keys.opener(
        transaction,
        found.map(({ sealed_content }) => sealed_content),
      )
      for (const row of found) if (await forgetOrder(transaction, { opener, sealer }, row, at)) changed += 1
      return found.at(-1)?.number
    })
  }
  return changed
}
