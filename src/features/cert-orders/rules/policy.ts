import type { Setting } from '@signalman/durable'
import { z } from 'zod'
import { compileOnUse } from '../../../service/schema.ts'
import { OTHER_KEYS } from './csr/key.ts'
import { parseDomain } from './host-names.ts'

/** Who may request an order. */
export const REQUESTERS = ['viewer', 'operator', 'approver'] as const
export type OrderingRole = (typeof REQUESTERS)[number]

/** Whether something may be ordered. `extra` means with one more approval. */
export const ALLOWANCES = ['no', 'extra', 'yes'] as const
export type Allowance = (typeof ALLOWANCES)[number]

export const RSA_SIZES = [2048, 3072, 4096] as const

/** What may be ordered in a workspace, and who approves. An empty list allows everything. */
export interface OrderPolicy {
  /** The role needed to request an order. Every member is a `viewer`. */
  requesters: OrderingRole
  /** The minimum number of approvals, 1 to 5. */
  approvals: number
  /** Whether an approver's own request counts as their approval. */
  direct: boolean
  /** Hours until an undecided request expires, 1 to 168, because buttons work for a week. */
  expiryHours: number
  /** Hours after which approvers are reminded; 0 for never. */
  reminderHours: number
  /** The channel for new requests. Without one, approvers get direct messages. */
  channelId?: string | undefined
  /** Every name must be one of these or a subdomain. Lowercase, in punycode. */
  domains: readonly string[]
  wildcards: Allowance
  /** IP addresses, email addresses, and URLs. */
  otherNames: Allowance
  /** Product IDs. */
  products: readonly string[]
  customers: readonly number[]
  maxDays?: number | undefined
  /** Without `rsaFrom`, no RSA key is allowed. A policy without any key refuses every order. */
  keys: { rsaFrom?: (typeof RSA_SIZES)[number] | undefined; others: readonly (typeof OTHER_KEYS)[number][] }
  /** Each of these that applies to an order adds one approval. */
  extra: { newDomain: boolean; unusual: boolean; overDays?: number | undefined }
  /** In the OTE test environment: the same number of approvals, or always one. The other rules apply unchanged. */
  ote: 'same' | 'one-approval'
}

export const DEFAULT_POLICY: OrderPolicy = {
  requesters: 'viewer',
  approvals: 1,
  direct: false,
  expiryHours: 72,
  reminderHours: 24,
  domains: [],
  wildcards: 'yes',
  otherNames: 'yes',
  products: [],
  customers: [],
  keys: { rsaFrom: 2048, others: ['P-256', 'P-384', 'P-521'] },
  extra: { newDomain: false, unusual: false },
  ote: 'same',
}

export const MAX_APPROVALS = 5
export const MAX_HOURS = 168
export const MAX_DAYS = 9999
export const MAX_LIST_LENGTH = 500

/** Refuses every order. Used for a stored policy that can't be parsed or was forged. */
const DENY_ALL_POLICY: OrderPolicy = {
  ...DEFAULT_POLICY,
  requesters: 'approver',
  approvals: MAX_APPROVALS,
  keys: { others: [] },
}

const allowance = z.enum(ALLOWANCES)
const hours = (min: number) => z.int().min(min).max(MAX_HOURS)
const days = z.int().min(1).max(MAX_DAYS).optional()

/** Rejects the whole policy if any part is invalid, because dropping an invalid list would allow everything. */
const PolicySchema = compileOnUse(
  z.object({
    requesters: z.enum(REQUESTERS),
    approvals: z.int().min(1).max(MAX_APPROVALS),
    direct: z.boolean(),
    expiryHours: hours(1),
    reminderHours: hours(0),
    channelId: z.string().min(1).optional(),
    domains: z.array(z.string().refine((domain) => parseDomain(domain) === domain)),
    wildcards: allowance,
    otherNames: allowance,
    products: z.array(z.string().min(1)),
    customers: z.array(z.int().min(1)),
    maxDays: days,
    keys: z.object({ rsaFrom: z.literal(RSA_SIZES).optional(), others: z.array(z.enum(OTHER_KEYS)) }),
    extra: z.object({ newDomain: z.boolean(), unusual: z.boolean(), overDays: days }),
    ote: z.enum(['same', 'one-approval']),
  }),
)

export const ORDER_POLICY: Setting<OrderPolicy> = {
  key: 'cert-orders.policy',
  decides: true,
  read: (stored) =>
    stored === undefined || stored === null
      ? DEFAULT_POLICY
      : (PolicySchema.safeParse(stored).data ?? DENY_ALL_POLICY),
}

/** Whether approvers are reminded of a waiting order. One that expires first has no reminder. */
export const hasReminder = ({ reminderHours, expiryHours }: OrderPolicy): boolean =>
  reminderHours > 0 && reminderHours < expiryHours

/** The most approvals that any order can need. */
export function computeMaxApprovals({ approvals, wildcards, otherNames, extra }: OrderPolicy): number {
  const reasons = [
    wildcards === 'extra',
    otherNames === 'extra',
    extra.newDomain,
    extra.unusual,
    extra.overDays !== undefined,
  ]
  return Math.min(MAX_APPROVALS, approvals + reasons.filter(Boolean).length)
}
