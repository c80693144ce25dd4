import { type Rows, rowsIn, type Schema } from '@signalman/durable'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import type { StoredOrder } from '../rules/order.ts'
import { OPEN_ORDERS, type OrderState } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'

/** What of the orders is wanted; what is left out does not matter. */
export interface OrderFilter {
  readonly workspaceId: string
  readonly environment?: Environment | undefined
  readonly states?: readonly OrderState[] | undefined
  readonly requesterId?: string | undefined
  /** Of which this certificate came. */
  readonly certificateId?: string | undefined
  /** Which renew or reissue this certificate. */
  readonly renewsId?: string | undefined
  readonly keyHash?: string | undefined
  readonly namesHash?: string | undefined
  /** Requested at this time or later. */
  readonly since?: Date | undefined
  /** Taken a step further at this time or later. */
  readonly changedSince?: Date | undefined
  /** With a lower number than this. */
  readonly below?: number | undefined
}

/** A page of them, newest first. */
export interface OrderQuery extends OrderFilter {
  readonly limit: number
  readonly offset?: number | undefined
}

/** Only the orders that are given are read: the indexes alone decide which they are, and pass over those before. */
export function pageQuery(
  rows: Rows,
  { limit, offset = 0, ...filter }: OrderQuery,
): SelectQueryBuilder<Schema, 'cert_order', CertOrderRow> {
  const wanted = selected(rows, filter).select('number').orderBy('number', 'desc').limit(limit).offset(offset)
  return rowsIn(rows, 'cert_order', { workspace_id: filter.workspaceId })
    .where('number', 'in', wanted)
    .orderBy('number', 'desc')
}

export const countQuery = (rows: Rows, filter: OrderFilter) =>
  selected(rows, filter).select(({ fn }) => fn.countAll().as('many'))

/** Placed orders whose certificate expires from a day on, the next one first. */
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

/** The order that is open, of those that match. */
export const openQuery = (rows: Rows, filter: OrderFilter) =>
  selected(rows, { ...filter, states: OPEN_ORDERS })
    .select(['number', 'state'])
    .orderBy('number')
    .limit(1)

/**
 * An order for the same key, or that renews the same certificate, which was placed, may have been, or is being placed: one that was
 * there while this one was. With it placed too, there would be two orders for one certificate.
 */
export const rivalQuery = (rows: Rows, order: StoredOrder, shared: 'key' | 'certificate') =>
  selected(rows, {
    workspaceId: order.workspaceId,
    environment: order.environment,
    states: ['placed', 'unknown', 'submitting'],
    ...(shared === 'key' ? { keyHash: order.keyHash } : { renewsId: order.renewsId }),
  })
    .select(['number', 'state'])
    .where('id', '!=', order.id)
    // Orders placed before this request may be renewed or replaced.
    .where(({ eb, or }) =>
      or([eb('state', '!=', 'placed'), eb('placed_at', '>=', order.createdAt.toISOString())]),
    )
    .orderBy('number')
    .limit(1)

function selected(rows: Rows, filter: OrderFilter) {
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
  // The index holds as much of an id as PostgreSQL takes; with a parameter for the 100 it would not be used.
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
