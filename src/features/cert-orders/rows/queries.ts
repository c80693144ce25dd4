import { type Rows, rowsIn, type Schema } from '@signalman/durable'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { StoredOrder } from '../rules/order.ts'
import { OPEN_ORDERS, type OrderState } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'

/** Filters for orders. All are optional. */
export interface OrderFilter {
  readonly workspaceId: string
  readonly environment?: Environment | undefined
  readonly states?: readonly OrderState[] | undefined
  readonly requesterId?: string | undefined
  /** Orders that produced this certificate. */
  readonly certificateId?: string | undefined
  /** Orders that renew or reissue this certificate. */
  readonly renewsId?: string | undefined
  readonly keyHash?: string | undefined
  readonly namesHash?: string | undefined
  /** Requested at this time or later. */
  readonly since?: Date | undefined
  /** Changed at this time or later. */
  readonly changedSince?: Date | undefined
  /** With a lower number than this. */
  readonly below?: number | undefined
}

/** One page, newest first. */
export interface OrderQuery extends OrderFilter {
  readonly limit: number
  readonly offset?: number | undefined
}

/** Uses indexes only, also to skip earlier pages. */
export function pageQuery(
  rows: Rows,
  { limit, offset = 0, ...filter }: OrderQuery,
): SelectQueryBuilder<Schema, 'cert_order', CertOrderRow> {
  const wanted = filterRows(rows, filter)
    .select('number')
    .orderBy('number', 'desc')
    .limit(limit)
    .offset(offset)
  return rowsIn(rows, 'cert_order', { workspace_id: filter.workspaceId })
    .where('number', 'in', wanted)
    .orderBy('number', 'desc')
}

export const countQuery = (rows: Rows, filter: OrderFilter) =>
  filterRows(rows, filter).select(({ fn }) => fn.countAll().as('many'))

/** Placed orders whose certificate expires on or after a date, soonest first. */
export function expiringQuery(
  rows: Rows,
  {
    workspaceId,
    environment,
    from,
    limit,
  }: { workspaceId: string; environment: Environment; from: Date; limit: number },
): SelectQueryBuilder<Schema, 'cert_order', CertOrderRow> {
  return rowsIn(rows, 'cert_order', { workspace_id: workspaceId, environment, state: 'placed' })
    .where('valid_until', '>=', from.toISOString())
    .orderBy('valid_until')
    .orderBy('number')
    .limit(limit)
}

/** The matching order that is open. */
export const openQuery = (rows: Rows, filter: OrderFilter) =>
  filterRows(rows, { ...filter, states: OPEN_ORDERS })
    .select(['number', 'state'])
    .orderBy('number')
    .limit(1)

/**
 * An order for the same key, or for the same certificate, that was, may have been, or is being placed, and that existed at the
 * same time as this one. Placing this one too would create a duplicate.
 */
export const duplicateQuery = (rows: Rows, order: StoredOrder, shared: 'key' | 'certificate') =>
  filterRows(rows, {
    workspaceId: order.workspaceId,
    environment: order.environment,
    states: ['placed', 'unknown', 'submitting'],
    ...(shared === 'key' ? { keyHash: order.keyHash } : { renewsId: order.renewsId }),
  })
    .select(['number', 'state'])
    .where('id', '!=', order.id)
    // Orders placed before this request don't count, because they may be renewed or replaced.
    .where(({ eb, or }) =>
      or([eb('state', '!=', 'placed'), eb('placed_at', '>=', order.createdAt.toISOString())]),
    )
    .orderBy('number')
    .limit(1)

function filterRows(rows: Rows, filter: OrderFilter) {
  const {
    workspaceId,
    environment,
    states,
    requesterId,
    certificateId,
    renewsId,
    keyHash,
    namesHash,
    since,
    changedSince,
    below,
  } = filter
  let found = rows.selectFrom('cert_order').where('workspace_id', '=', workspaceId)
  if (environment) found = found.where('environment', '=', environment)
  if (states) found = found.where('state', 'in', states)
  if (since) found = found.where('created_at', '>=', since.toISOString())
  if (changedSince) found = found.where('updated_at', '>=', changedSince.toISOString())
  if (below !== undefined) found = found.where('number', '<', below)
  if (keyHash) found = found.where('key_hash', '=', keyHash)
  if (namesHash) found = found.where('names_hash', '=', namesHash)
  if (requesterId) found = found.where('requester_id', '=', requesterId)
  // The index covers as much of an ID as PostgreSQL allows. The 100 is a literal because a parameter would prevent its use.
  if (certificateId)
    found = found
      .where(sql<boolean>`substr(certificate_id, 1, 100) = substr(cast(${certificateId} as text), 1, 100)`)
      .where('certificate_id', '=', certificateId)
  if (renewsId)
    found = found
      .where(sql<boolean>`substr(renews_id, 1, 100) = substr(cast(${renewsId} as text), 1, 100)`)
      .where('renews_id', '=', renewsId)
  return found
}
