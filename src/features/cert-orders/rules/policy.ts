import type { Setting } from '@signalman/durable'
import { OTHER_KEYS } from './csr/key.ts'
import { readDomain } from './host-names.ts'

/** Who may request an order. */
export const REQUESTERS = ['viewer', 'operator', 'approver'] as const
export type OrderingRole = (typeof REQUESTERS)[number]

/** Whether something may be ordered. `extra` means with one more approval. */
export const ALLOWANCES = ['no', 'extra', 'yes'] as const
export type Allowance = (typeof ALLOWANCES)[number]

export const RSA_SIZES = [2048, 3072, 4096] as const

/** What may be ordered in a workspace, and who approves. Empty lists allow any. */
export interface OrderPolicy {
  /** The role that a request needs; `viewer` is every member. */
  requesters: OrderingRole
  /** The minimum number of approvals, 1 to 5. */
  approvals: number
  /** Whether an approver's own request counts as their approval. */
  direct: boolean
  /** Hours until an undecided request expires, 1 to 168, because buttons work for a week. */
  expiryHours: number
  /** Hours after which approvers are reminded; 0 for never. */
  reminderHours: number
  /** Where requests are posted; without one, approvers get direct messages. */
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
  /** Other reasons for one more approval. */
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
const CLOSED_POLICY: OrderPolicy = {
  ...DEFAULT_POLICY,
  requesters: 'approver',
  approvals: MAX_APPROVALS,
  keys: { others: [] },
}

export const ORDER_POLICY: Setting<OrderPolicy> = {
  key: 'cert-orders.policy',
  decides: true,
  read: (stored) =>
    stored === undefined || stored === null ? DEFAULT_POLICY : (parsePolicy(stored) ?? CLOSED_POLICY),
  forged: CLOSED_POLICY,
}

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Returns undefined if any part is invalid, because a missing list would allow anything. */
function parsePolicy(stored: unknown): OrderPolicy | undefined {
  const fields = toFields(stored)
  const keys = toFields(fields.keys)
  const extra = toFields(fields.extra)
  const requesters = REQUESTERS.find((role) => role === fields.requesters)
  const wildcards = ALLOWANCES.find((value) => value === fields.wildcards)
  const otherNames = ALLOWANCES.find((value) => value === fields.otherNames)
  const domains = readList(fields.domains, (value) =>
    typeof value === 'string' && readDomain(value) === value ? value : undefined,
  )
  const products = readList(fields.products, (value) =>
    typeof value === 'string' && value !== '' ? value : undefined,
  )
  const customers = readList(fields.customers, (value) =>
    isIntegerBetween(value, 1, Number.MAX_SAFE_INTEGER) ? value : undefined,
  )
  const others = readList(keys.others, (value) => OTHER_KEYS.find((key) => key === value))
  const rsaFrom = RSA_SIZES.find((size) => size === keys.rsaFrom)
  const { approvals, expiryHours, reminderHours, maxDays, channelId, direct, ote } = fields
  const { overDays, newDomain, unusual } = extra
  const isValid =
    isIntegerBetween(approvals, 1, MAX_APPROVALS) &&
    isIntegerBetween(expiryHours, 1, MAX_HOURS) &&
    isIntegerBetween(reminderHours, 0, MAX_HOURS) &&
    (maxDays === undefined || isIntegerBetween(maxDays, 1, MAX_DAYS)) &&
    (overDays === undefined || isIntegerBetween(overDays, 1, MAX_DAYS)) &&
    (keys.rsaFrom === undefined || rsaFrom !== undefined) &&
    (channelId === undefined || typeof channelId === 'string') &&
    [direct, newDomain, unusual].every((flag) => typeof flag === 'boolean') &&
    (ote === 'same' || ote === 'one-approval')
  if (!isValid || !requesters || !wildcards || !otherNames || !domains || !products || !customers || !others)
    return undefined
  return {
    requesters,
    approvals,
    direct: direct === true,
    expiryHours,
    reminderHours,
    ...(channelId && { channelId }),
    domains,
    wildcards,
    otherNames,
    products,
    customers,
    ...(maxDays !== undefined && { maxDays }),
    keys: { ...(rsaFrom && { rsaFrom }), others },
    extra: {
      newDomain: newDomain === true,
      unusual: unusual === true,
      ...(overDays !== undefined && { overDays }),
    },
    ote,
  }
}

const isIntegerBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max

function readList<T>(value: unknown, read: (value: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined
  const items = value.map(read)
  return items.includes(undefined) ? undefined : (items as T[])
}

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
