import { type Rows, rowsIn, type Schema } from '@signalman/durable'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import { OPEN_ORDERS, type OrderState } from '../rules/order-states.ts'
import type { CertOrderRow } from './tables.ts'

/** What of the orders is wanted; what is left out does not matter. */
export interface OrderFilter {
  readonly workspaceId: string
  readonly environment?: Environment | undefined
  readonly states?: readonly OrderState[] | undefined
  readonly requesterId?: string | undefined
  readonly certificateId?: string | undefined
  readonly keyHash?: string | undefined
  /** Asked for at this time or later. */
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

/** The order of this key, or about this certificate, that is open. */
export const openQuery = (rows: Rows, filter: OrderFilter) =>
  selected(rows, { ...filter, states: OPEN_ORDERS })
    .select(['number', 'state'])
    .orderBy('number')
    .limit(1)

function selected(rows: Rows, filter: OrderFilter) {
  const {
    workspaceId,
    environment,
    states,
    requesterId,
    certificateId,
    keyHash,
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
  if (requesterId) found = found.where('requester_id', '=', requesterId)
  if (certificateId)
    found = found
      // The index holds as much of an id as PostgreSQL takes; with a parameter for the 100 it would not be used.
      .where(sql<boolean>`substr(certificate_id, 1, 100) = substr(cast(${certificateId} as text), 1, 100)`)
      .where('certificate_id', '=', certificateId)
  return found
}
