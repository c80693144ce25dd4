import {
  type Identity,
  jsonText,
  type Schema,
  type TextOpener,
  type TextSealer,
  workspaceKeyIdOf,
} from '@signalman/durable'
import type { Transaction } from 'kysely'
import type { OrderState } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'

const BY = 'system'

const WHY = 'The app was taken out of the workspace.'

/** True when there was something to change. */
export async function forgetOrder(
  transaction: Transaction<Schema>,
  { opener, sealer }: { opener: TextOpener; sealer: TextSealer },
  row: CertOrderRow,
  at: string,
): Promise<boolean> {
  const identity: Identity = ['cert_order', row.workspace_id, row.id]
  const text = opened(opener, row, identity)
  if (text === undefined) {
    await transaction.deleteFrom('cert_order_event').where('order_id', '=', row.id).execute()
    await transaction.deleteFrom('cert_order').where('id', '=', row.id).execute()
    return true
  }
  const next = emptiedOrder(row.state, JSON.parse(text), at)
  const sealed_content = sealer.seal(jsonText(next.content, 'An order'), identity)
  const own = transaction.updateTable('cert_order').where('id', '=', row.id)
  if (JSON.stringify(next.content) === text && isUnchanged(row, next.state)) {
    // With the workspace's next key: the one that sealed it is destroyed.
    if (workspaceKeyIdOf(row.sealed_content) !== workspaceKeyIdOf(sealed_content))
      await own.set({ sealed_content }).execute()
    return false
  }
  const version = row.version + 1
  await own.set({ state: next.state, version, updated_at: at, wake_at: null, sealed_content }).execute()
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
