import { DAY_MS } from '../../domain/durations.ts'
import type { GivenRole } from '../../domain/roles.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { Setting } from '../../store/store.ts'

/** A person's request for a role, and its decision. */
export interface AccessRequest {
  id: string
  role: GivenRole
  userId: string
  /** ISO 8601. */
  at: string
  /** The messages that admins were asked with. */
  told: readonly Posted[]
  decision?: AccessDecision
}

export interface AccessDecision {
  by: string
  /** ISO 8601. */
  at: string
  isGiven: boolean
  /** Of the click that decided: tells it from one that came too late. */
  reference: string
}

export const KEPT = 200

export const DECIDED_KEPT_DAYS = 30

/** After this time the same person may ask the admins again. */
const WAITING_MS = DAY_MS

/**
 * The workspace's requests for access, oldest first. One setting, because a change of a setting is one transaction: of two
 * admins who decide at once, one does.
 */
export const ACCESS_REQUESTS: Setting<readonly AccessRequest[]> = {
  key: 'access.requests',
  // Written by this file alone.
  read: (stored) => (Array.isArray(stored) ? (stored as AccessRequest[]) : []),
}

export const isWaiting = ({ decision }: AccessRequest): boolean => decision === undefined

/** The request that the person still waits for, unless it is a day old. */
export function waitingFor(
  requests: readonly AccessRequest[],
  { userId, role }: Pick<AccessRequest, 'userId' | 'role'>,
  now: Date,
): AccessRequest | undefined {
  return requests.find(
    (one) =>
      isWaiting(one) &&
      one.userId === userId &&
      one.role === role &&
      now.getTime() - Date.parse(one.at) < WAITING_MS,
  )
}
