import type { Setting } from '@signalman/durable'

/** Who may ask for an order. */
export const REQUESTERS = ['viewer', 'operator', 'approver'] as const
export type OrderingRole = (typeof REQUESTERS)[number]

/** How orders are decided in a workspace. */
export interface OrderPolicy {
  /** The role that a request needs; `viewer` is every member. */
  requesters: OrderingRole
  /** How many people must approve, 1 to 5. */
  approvals: number
  /** True when an approver's own request counts as approved by them; false is four eyes. */
  direct: boolean
  /** Hours after which a request that nobody decided on expires, 1 to 168: buttons live for a week. */
  expiryHours: number
  /** Hours after which those who can approve are reminded; 0 for never. */
  reminderHours: number
  /** Where requests are shown to those who can approve; without one they are written to directly. */
  channelId?: string | undefined
  /** Rules on content, one a line (rules/rules.ts); the first that matches an order decides. */
  rules?: string | undefined
}

export const DEFAULT_POLICY: OrderPolicy = {
  requesters: 'viewer',
  approvals: 1,
  direct: false,
  expiryHours: 72,
  reminderHours: 24,
}

export const MOST_APPROVALS = 5
export const MOST_HOURS = 168

const within = (value: unknown, least: number, most: number, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : otherwise

/** A stored value that is not valid falls back to the default, which is the strict one. */
export const ORDER_POLICY: Setting<OrderPolicy> = {
  key: 'cert-orders.policy',
  decides: true,
  read(stored) {
    const { requesters, approvals, direct, expiryHours, reminderHours, channelId, rules } = (
      typeof stored === 'object' && stored !== null ? stored : {}
    ) as Readonly<Record<string, unknown>>
    return {
      requesters: REQUESTERS.find((role) => role === requesters) ?? DEFAULT_POLICY.requesters,
      approvals: within(approvals, 1, MOST_APPROVALS, DEFAULT_POLICY.approvals),
      direct: direct === true,
      expiryHours: within(expiryHours, 1, MOST_HOURS, DEFAULT_POLICY.expiryHours),
      reminderHours: within(reminderHours, 0, MOST_HOURS, DEFAULT_POLICY.reminderHours),
      ...(typeof channelId === 'string' && channelId !== '' && { channelId }),
      ...(typeof rules === 'string' && rules !== '' && { rules }),
    }
  },
  forged: {
    ...DEFAULT_POLICY,
    requesters: 'approver',
    approvals: MOST_APPROVALS,
    rules: 'deny "Somebody has changed them in the database, past Signalman." always',
  },
}

/** Rules that were tried and do not hold yet. */
export const RULES_DRAFT: Setting<string> = {
  key: 'cert-orders.rules-draft',
  read: (stored) => (typeof stored === 'string' ? stored : ''),
}
