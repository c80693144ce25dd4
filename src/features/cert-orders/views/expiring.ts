import { lines, type Message } from '@signalman/slack'
import { listPage } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { Order } from '../rules/order.ts'
import { formatCertificateName } from './words.ts'

export const MAX_EXPIRING = 25

const EXPIRY_NOTE =
  'Signalman knows when a certificate expires only if the service said so in its answer to the order. The service has no list of certificates.'

/**
 * Placed orders sorted by when their certificate expires, soonest first. `placedCount` includes orders without a known expiry.
 */
export function expiringView(
  orders: readonly Order[],
  {
    environment,
    now,
    isTruncated,
    placedCount,
  }: { environment: Environment; now: Date; isTruncated: boolean; placedCount: number },
): Message {
  const { length } = orders
  return listPage({
    title:
      length === 0 ? 'No certificate is known to expire' : `${pluralize(length, 'certificate')} by expiry`,
    environment,
    subtitle: isTruncated ? `The first ${length}.` : '',
    rows: orders.map((order) => lines(expiryRow(order, now))),
    notes: [
      `${pluralize(placedCount, 'order')} placed. Certificates that expired more than 30 days ago aren’t listed. ${EXPIRY_NOTE}`,
    ],
    previous: undefined,
    next: undefined,
    refreshLine: `/cert-order list --expiring --env ${environment}`,
    controls: [],
    now,
  })
}

function expiryRow(order: Order, now: Date): readonly [string, Date] {
  const expiresAt = order.validUntil ?? now
  const orderNumber = `Order ${order.number}${environmentSuffix(order.environment)}`
  return [
    `${orderNumber}: ${formatCertificateName(order).join('')} · ${expiresAt < now ? 'expired' : 'expires'} `,
    expiresAt,
  ]
}
