import type { Transaction } from 'kysely'
import { jsonText } from './json.ts'
import type { CertOrderRow, OrderState, Schema } from './schema.ts'
import type { Identity, Sealer } from './seal.ts'

const BY = 'system'
const WHY = 'The app was taken out of the workspace.'

/**
 * Ends what is open of a workspace's certificate orders, without a word to anybody, and takes the CSR, the contacts and the
 * service's answer out of all of them. Nothing is due or told of them any more. An order whose content does not open is
 * deleted. Returns how many orders there were to change; throws when one of them is being changed by others.
 */
export async function forgetOrders(
  transaction: Transaction<Schema>,
  sealer: Sealer,
  workspaceId: string,
  at: string,
): Promise<number> {
  const rows = await transaction
    .selectFrom('cert_order')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .execute()
  let changed = 0
  for (const row of rows) {
    const identity: Identity = ['cert_order', workspaceId, row.id]
    const text = opened(sealer, row, identity)
    const next = text === undefined ? undefined : ended(row.state, JSON.parse(text), at)
    if (next && JSON.stringify(next.content) === text && isQuiet(row, next.state)) continue
    changed += 1
    if (!next) {
      await transaction.deleteFrom('cert_order_event').where('order_id', '=', row.id).execute()
      await transaction.deleteFrom('cert_order').where('id', '=', row.id).execute()
      continue
    }
    const version = row.version + 1
    const { numUpdatedRows } = await transaction
      .updateTable('cert_order')
      .set({
        state: next.state,
        version,
        told_version: version,
        updated_at: at,
        wake_at: null,
        sealed_content: sealer.seal(jsonText(next.content, 'An order'), identity),
      })
      .where('id', '=', row.id)
      .where('version', '=', row.version)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) throw new Error('An order changed while its workspace was forgotten.')
    const event = { order_id: row.id, version, at, user_id: BY, kind: 'forget' }
    await transaction.insertInto('cert_order_event').values(event).execute()
  }
  return changed
}

const isQuiet = (row: CertOrderRow, state: OrderState): boolean =>
  row.state === state && row.wake_at === null && row.told_version === row.version

function opened(sealer: Sealer, row: CertOrderRow, identity: Identity): string | undefined {
  try {
    return sealer.open(row.sealed_content, identity)
  } catch {
    return undefined
  }
}

/** As much of an order's content as must be known to empty it. */
interface Emptied {
  request?: Record<string, unknown>
  changes?: Record<string, unknown>[]
  outcome?: { placed?: Record<string, unknown> }
}

function ended(state: OrderState, content: Emptied, at: string): { state: OrderState; content: object } {
  const request: Record<string, unknown> = { ...content.request, csr: '' }
  delete request.contacts
  const placed = content.outcome?.placed
  const emptied = {
    ...content,
    request,
    ...(content.changes && { changes: content.changes.map((change) => ({ ...change, fields: [] })) }),
    ...(placed && { outcome: { ...content.outcome, placed: { ...placed, answer: '' } } }),
  }
  if (state === 'awaiting')
    return { state: 'withdrawn', content: { ...emptied, ending: { by: BY, at, reason: WHY } } }
  // It may be at the service by now; whoever sent it still writes down what came of it.
  if (state === 'submitting')
    return { state: 'unknown', content: { ...emptied, outcome: { kind: 'unknown', why: WHY, said: [] } } }
  return { state, content: emptied }
}
