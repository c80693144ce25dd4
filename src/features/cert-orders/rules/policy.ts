import type { Setting } from '@signalman/durable'
import { OTHER_KEYS } from './csr/key.ts'
import { readDomain } from './host-names.ts'

/** Who may request an order. */
export const REQUESTERS = ['viewer', 'operator', 'approver'] as const
export type OrderingRole = (typeof REQUESTERS)[number]

/** Whether something may be ordered; `extra`: with one more approval. */
export const CHOICES = ['no', 'extra', 'yes'] as const
export type Choice = (typeof CHOICES)[number]

export const RSA_SIZES = [2048, 3072, 4096] as const

/** What may be ordered in a workspace, and who approves. Empty lists allow any. */
export interface OrderPolicy {
  /** The role that a request needs; `viewer` is every member. */
  requesters: OrderingRole
  /** How many people must approve, 1 to 5. Nothing lowers it. */
  approvals: number
  /** Whether an approver's own request counts as their approval. */
  direct: boolean
  /** Hours after which a request that nobody decided on expires, 1 to 168: buttons live for a week. */
  expiryHours: number
  /** Hours after which approvers are reminded; 0 for never. */
  reminderHours: number
  /** Where requests are posted; without one, approvers get direct messages. */
  channelId?: string | undefined
  /** Every name must be one of these or a subdomain. Lowercase, in punycode. */
  domains: readonly string[]
  wildcards: Choice
  /** IP addresses, email addresses and URLs. */
  otherNames: Choice
  /** Product IDs. */
  products: readonly string[]
  customers: readonly number[]
  maxDays?: number | undefined
  /** Without `rsaFrom`, no RSA key is allowed. A policy without any key refuses every order. */
  keys: { rsaFrom?: (typeof RSA_SIZES)[number] | undefined; others: readonly (typeof OTHER_KEYS)[number][] }
  /** What requires one more approval, besides wildcards and other names. */
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

export const MOST_APPROVALS = 5
export const MOST_HOURS = 168
export const MOST_DAYS = 9999
export const MOST_LISTED = 500

/** Refuses every order. Used for a stored policy that can't be parsed or was forged. */
const CLOSED_POLICY: OrderPolicy = {
  ...DEFAULT_POLICY,
  requesters: 'approver',
  approvals: MOST_APPROVALS,
  keys: { others: [] },
}

export const ORDER_POLICY: Setting<OrderPolicy> = {
  key: 'cert-orders.policy',
  decides: true,
  read: (stored) =>
    stored === undefined || stored === null ? DEFAULT_POLICY : (readPolicy(stored) ?? CLOSED_POLICY),
  forged: CLOSED_POLICY,
}

type Fields = Readonly<Record<string, unknown>>

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Undefined if any part is invalid. A part can't be dropped, because a missing list would allow anything. */
function readPolicy(stored: unknown): OrderPolicy | undefined {
  const given = asFields(stored)
  const keys = asFields(given.keys)
  const extra = asFields(given.extra)
  const requesters = REQUESTERS.find((role) => role === given.requesters)
  const wildcards = CHOICES.find((one) => one === given.wildcards)
  const otherNames = CHOICES.find((one) => one === given.otherNames)
  const domains = readList(given.domains, (one) =>
    typeof one === 'string' && readDomain(one) === one ? one : undefined,
  )
  const products = readList(given.products, (one) =>
    typeof one === 'string' && one !== '' ? one : undefined,
  )
  const customers = readList(given.customers, (one) =>
    isIntegerBetween(one, 1, Number.MAX_SAFE_INTEGER) ? one : undefined,
  )
  const others = readList(keys.others, (one) => OTHER_KEYS.find((key) => key === one))
  const rsaFrom = RSA_SIZES.find((size) => size === keys.rsaFrom)
  const { approvals, expiryHours, reminderHours, maxDays, channelId, direct, ote } = given
  const { overDays, newDomain, unusual } = extra
  const isValid =
    isIntegerBetween(approvals, 1, MOST_APPROVALS) &&
    isIntegerBetween(expiryHours, 1, MOST_HOURS) &&
    isIntegerBetween(reminderHours, 0, MOST_HOURS) &&
    (maxDays === undefined || isIntegerBetween(maxDays, 1, MOST_DAYS)) &&
    (overDays === undefined || isIntegerBetween(overDays, 1, MOST_DAYS)) &&
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

const isIntegerBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most

function readList<T>(value: unknown, read: (one: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined
  const all = value.map(read)
  return all.includes(undefined) ? undefined : (all as T[])
}

/** The most approvals that any order can need. */
export function maxApprovals({ approvals, wildcards, otherNames, extra }: OrderPolicy): number {
  const reasons = [
    wildcards === 'extra',
    otherNames === 'extra',
    extra.newDomain,
    extra.unusual,
    extra.overDays !== undefined,
  ]
  return Math.min(MOST_APPROVALS, approvals + reasons.filter(Boolean).length)
}
