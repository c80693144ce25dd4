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

const KEPT = 200
const DAY_MS = 86_400_000
const DECIDED_KEPT_DAYS = 30
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

/** Adds a request, unless the same one is waiting already, and drops those that were decided long ago. */
export function withRequest(
  requests: readonly AccessRequest[],
  added: AccessRequest,
  now: Date,
): readonly AccessRequest[] {
  if (waitingFor(requests, added, now)) return requests
  const oldest = now.getTime() - DECIDED_KEPT_DAYS * DAY_MS
  // A repeated request takes the place of the one that nobody has answered.
  const others = requests.filter(
    (one) =>
      Date.parse(one.at) >= oldest &&
      !(isWaiting(one) && one.userId === added.userId && one.role === added.role),
  )
  return [...others.slice(1 - KEPT), added]
}

/** With this one changed, where it is there and nobody has decided it. */
export function withChanged(
  requests: readonly AccessRequest[],
  id: string,
  change: Partial<AccessRequest>,
): readonly AccessRequest[] {
  return requests.map((one) => (one.id === id && isWaiting(one) ? { ...one, ...change } : one))
}

export const without = (requests: readonly AccessRequest[], id: string): readonly AccessRequest[] =>
  requests.filter((one) => one.id !== id)

/** Open again: the decision of this click could not be carried out. */
export const reopened = (
  requests: readonly AccessRequest[],
  id: string,
  reference: string,
): readonly AccessRequest[] =>
  requests.map(({ decision, ...one }) =>
    one.id === id && decision?.reference === reference ? one : { ...one, ...(decision && { decision }) },
  )
