import type { Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Order } from '../order.ts'
import { STATES } from '../refusals.ts'

/** What a listing is narrowed to. */
export interface OrderFilters {
  environment: Environment
  status?: Order['state'] | undefined
  mine: boolean
  requester?: string | undefined
  /** A part of the product's name or its id. */
  product?: string | undefined
  /** A part of the subject or of one of the names. */
  name?: string | undefined
  /** Of the last so many days. */
  days?: number | undefined
  /** From 1. */
  page: number
}

export const PAGE_SIZE = 10

// The keys of the table above it are the states, all of them.
export const STATUS_NAMES = Object.keys(STATES) as Order['state'][]

/** The line that lists these orders. */
export function listLine(filters: OrderFilters): string {
  const { environment, status, mine, requester, product, name, days, page } = filters
  return [
    `/cert-order list --env ${environment}`,
    ...(status ? [`--status ${status}`] : []),
    ...(mine ? ['--mine'] : []),
    ...(requester ? [`--requester ${requester}`] : []),
    ...(product ? [`--product ${quoted(product)}`] : []),
    ...(name ? [`--name ${quoted(name)}`] : []),
    ...(days ? [`--days ${days}`] : []),
    ...(page > 1 ? [`--page ${page}`] : []),
  ].join(' ')
}

/** The page asked for, or the last one where there are fewer. */
export const pageOf = ({ page }: OrderFilters, total: number): number =>
  Math.min(page, Math.max(1, Math.ceil(total / PAGE_SIZE)))
