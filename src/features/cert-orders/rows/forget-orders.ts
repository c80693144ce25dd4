import {
  type Database,
  deleteIn,
  type Identity,
  jsonText,
  rowsIn,
  type Schema,
  type TextOpener,
  type TextSealer,
  updateIn,
  type WorkspaceKeys,
  workspaceKeyIdOf,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import type { OrderState } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'
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
      const batch = rowsIn(transaction, 'cert_order', { workspace_id: workspaceId })
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

const BY = 'system'

const WHY = 'The app was taken out of the workspace.'

/** True when there was something to change. */
async function forgetOrder(
  transaction: Transaction<Schema>,
  { opener, sealer }: { opener: TextOpener; sealer: TextSealer },
  row: CertOrderRow,
  at: string,
): Promise<boolean> {
  const identity: Identity = ['cert_order', row.workspace_id, row.id]
  const text = opened(opener, row, identity)
  if (text === undefined) {
    await deleteIn(transaction, 'cert_order', { id: row.id })
    return true
  }
  const next = emptiedOrder(row.state, JSON.parse(text), at)
  const sealed_content = sealer.seal(jsonText(next.content, 'An order'), identity)
  if (JSON.stringify(next.content) === text && isUnchanged(row, next.state)) {
    // With the workspace's next key: the one that sealed it is destroyed.
    if (workspaceKeyIdOf(row.sealed_content) !== workspaceKeyIdOf(sealed_content))
      await updateIn(transaction, 'cert_order', { id: row.id }, { sealed_content })
    return false
  }
  const version = row.version + 1
  const ended = { state: next.state, version, updated_at: at, wake_at: null, sealed_content }
  await updateIn(transaction, 'cert_order', { id: row.id }, ended)
  const event = { order_id: row.id, version, at, user_id: BY, kind: 'forget', reference: null }
  await transaction.insertInto('cert_order_event').values(event).execute()
  return true
}

const isUnchanged = (row: CertOrderRow, state: OrderState): boolean =>
  row.state === state && row.wake_at === null

function opened(opener: TextOpener, row: CertOrderRow, identity: Identity): string | undefined {
  try {
    return opener.open(row.sealed_content, identity)
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

function emptiedOrder(
  state: OrderState,
  content: Emptied,
  at: string,
): { state: OrderState; content: object } {
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
  // The service may already have it; whoever sent it still records the outcome.
  if (state === 'submitting')
    return { state: 'unknown', content: { ...emptied, outcome: { kind: 'unknown', why: WHY, said: [] } } }
  return { state, content: emptied }
}
