import type { Setting } from '@signalman/durable'
import { z } from 'zod'
import { compileOnUse } from '../../../service/schema.ts'
import { formatDomain } from './host-names.ts'
import type { Order } from './order.ts'

export interface OrderSettings {
  /** The channel for new requests. Without one, approvers get direct messages. */
  channelId?: string | undefined
  /** Every name must be one of these or a subdomain. Lowercase, in punycode. An empty list allows everything. */
  domains: readonly string[]
  allowsOwn?: true | undefined
}

/** Whether an approver may decide on an order: on one of another person, or on their own if an admin allows that. */
export const mayDecide = (
  { requesterId }: Pick<Order, 'requesterId'>,
  userId: string,
  { allowsOwn }: Pick<OrderSettings, 'allowsOwn'>,
): boolean => userId !== requesterId || allowsOwn === true

export const DEFAULT_SETTINGS: OrderSettings = { domains: [] }

/** Allows no name. Used for stored settings that can't be parsed. */
const NO_DOMAIN: OrderSettings = { domains: ['invalid'] }

const SettingsSchema = compileOnUse(
  z.object({
    channelId: z.string().min(1).optional(),
    domains: z.array(z.string().refine((domain) => domain === 'invalid' || formatDomain(domain) === domain)),
    allowsOwn: z.literal(true).optional(),
  }),
)

export const ORDER_SETTINGS: Setting<OrderSettings> = {
  key: 'cert-orders.settings',
  read: (stored) =>
    stored === undefined || stored === null
      ? DEFAULT_SETTINGS
      : (SettingsSchema.safeParse(stored).data ?? NO_DOMAIN),
}
