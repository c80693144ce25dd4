import { type Rows, type Schema, selectRows } from '@signalman/durable'
import type { SelectQueryBuilder } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { Order } from '../rules/order.ts'
import { OPEN_ORDER_STATES, type OrderState, RECEIVED_OR_OPEN_STATES } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'

export interface OrderFilter {
  readonly workspaceId: string
  readonly environment: Environment
  readonly states?: readonly OrderState[] | undefined
  readonly requesterId?: string | undefined
  /** Orders of anyone else. */
  readonly notRequesterId?: string | undefined
  /** Orders that renew or reissue this certificate. */
  readonly renewsId?: string | undefined
  readonly keyHash?: string | undefined
  readonly numbers?: readonly number[] | undefined
  /** Orders with a lower number. */
  readonly before?: number | undefined
}

export interface OrderQuery extends OrderFilter {
  readonly oldestFirst?: boolean | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/** One page of orders, newest first. Finds and skips rows in the index alone, and reads full rows only for the page. */
export function pageQuery(
  rows: Rows,
  { limit, offset = 0, oldestFirst = false, ...filter }: OrderQuery,
): SelectQueryBuilder<Schema, 'cert_order', CertOrderRow> {
  const direction = oldestFirst ? 'asc' : 'desc'
  const pageNumbers = filterRows(rows, filter)
    .select('number')
    .orderBy('number', direction)
    .limit(limit)
    .offset(offset)
  return selectRows(rows, 'cert_order', { workspace_id: filter.workspaceId })
    .where('number', 'in', pageNumbers)
    .orderBy('number', direction)
}

export const countQuery = (rows: Rows, filter: OrderFilter) =>
  filterRows(rows, filter).select(({ fn }) => fn.countAll().as('total'))

/**
 * The first matching order that is open. `sent`: an order that is about to be sent. Then finds another one that is open, or that the
 * service received after this one was requested. This one may renew or replace those that it received before.
 */
export function duplicateQuery(rows: Rows, filter: OrderFilter, sent?: Pick<Order, 'id' | 'createdAt'>) {
  const states = sent ? RECEIVED_OR_OPEN_STATES : OPEN_ORDER_STATES
  const query = filterRows(rows, { ...filter, states })
    .select(['number', 'state'])
    .orderBy('number')
    .limit(1)
  if (!sent) return query
  const since = sent.createdAt.toISOString()
  return query
    .where('id', '!=', sent.id)
    .where(({ eb, or }) => or([eb('state', '!=', 'received'), eb('received_at', '>=', since)]))
}

function filterRows(rows: Rows, filter: OrderFilter) {
  let query = rows
    .selectFrom('cert_order')
    .where('workspace_id', '=', filter.workspaceId)
    .where('environment', '=', filter.environment)
  if (filter.states) query = query.where('state', 'in', filter.states)
  if (filter.keyHash) query = query.where('key_hash', '=', filter.keyHash)
  if (filter.requesterId) query = query.where('requester_id', '=', filter.requesterId)
  if (filter.notRequesterId) query = query.where('requester_id', '!=', filter.notRequesterId)
  if (filter.renewsId) query = query.where('renews_id', '=', filter.renewsId)
  if (filter.numbers) query = query.where('number', 'in', filter.numbers)
  if (filter.before !== undefined) query = query.where('number', '<', filter.before)
  return query
}
