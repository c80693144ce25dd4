import { MAX_IDLE_MS, type Setting } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import type { GrantableRole } from '../../../domain/roles.ts'

/** A person's request for a role, and its decision. */
export interface AccessRequest {
  id: string
  role: GrantableRole
  userId: string
  /** When the person asked, ISO 8601. */
  at: string
  /** The messages in which admins were asked. */
  adminMessages: readonly PostedMessage[]
  decision?: AccessDecision
}

export interface AccessDecision {
  by: string
  /** When it was made, ISO 8601. */
  at: string
  isApproval: boolean
  /** Identifies the click that decided, to distinguish it from later ones. */
  reference: string
  /** When the role ends, ISO 8601; absent for a permanent one. */
  until?: string
  /** True if the person who asked couldn't be notified. */
  notificationFailed?: boolean
}

const MAX_REQUESTS = 200
/** Requests older than this can't be decided. */
const EXPIRY_DAYS = 30

/** After this time, a person may ask for the same role again. */
const REPEAT_AFTER_MS = DAY_MS

/**
 * The workspace's requests for access, oldest first. They share one setting, which changes in one transaction, so only one of
 * two concurrent decisions wins.
 */
export const ACCESS_REQUESTS: Setting<readonly AccessRequest[]> = {
  key: 'access.requests',
  // Only this file writes it.
  read: (stored) => (Array.isArray(stored) ? (stored as AccessRequest[]) : []),
}

export const isWaiting = ({ decision }: AccessRequest): boolean => decision === undefined

export const isExpired = ({ at }: AccessRequest, now: Date): boolean =>
  Date.parse(at) < now.getTime() - EXPIRY_DAYS * DAY_MS

/** Requests that can still be decided, oldest first. */
export const findWaitingRequests = (requests: readonly AccessRequest[], now: Date): AccessRequest[] =>
  requests.filter((request) => isWaiting(request) && !isExpired(request, now))

/**
 * The person's undecided request for this role. A request doesn't count once it is a day old, or if the process stopped before
 * it reached an admin.
 */
export function findWaitingRequest(
  requests: readonly AccessRequest[],
  { userId, role }: Pick<AccessRequest, 'userId' | 'role'>,
  now: Date,
): AccessRequest | undefined {
  return requests.find(
    (request) =>
      isWaiting(request) &&
      request.userId === userId &&
      request.role === role &&
      now.getTime() - Date.parse(request.at) <
        (request.adminMessages.length > 0 ? REPEAT_AFTER_MS : MAX_IDLE_MS),
  )
}

/**
 * Adds a request, unless the person is already waiting for this role. Drops expired requests, and decided ones if there are
 * too many. Throws UserError if too many are waiting.
 */
export function withRequest(
  requests: readonly AccessRequest[],
  added: AccessRequest,
  now: Date,
): readonly AccessRequest[] {
  if (findWaitingRequest(requests, added, now)) return requests
  // A repeated request replaces the undecided one.
  const others = requests.filter(
    (request) =>
      !isExpired(request, now) &&
      !(isWaiting(request) && request.userId === added.userId && request.role === added.role),
  )
  const freeSlots = MAX_REQUESTS - 1 - others.filter(isWaiting).length
  if (freeSlots < 0)
    throw new UserError(
      `${MAX_REQUESTS} requests for access are already waiting for an admin, so yours wasn’t sent. Ask an admin to decide on them in ${cmd('/hc access')}.`,
    )
  const decidedRequests = others.filter((request) => !isWaiting(request))
  const droppedRequests = new Set(decidedRequests.slice(0, Math.max(0, decidedRequests.length - freeSlots)))
  return [...others.filter((request) => !droppedRequests.has(request)), added]
}

/** The requests with this one changed, if it exists and is undecided. */
export function withUpdatedRequest(
  requests: readonly AccessRequest[],
  id: string,
  change: Partial<AccessRequest>,
): readonly AccessRequest[] {
  return requests.map((request) =>
    request.id === id && isWaiting(request) ? { ...request, ...change } : request,
  )
}

export const withoutRequest = (requests: readonly AccessRequest[], id: string): readonly AccessRequest[] =>
  requests.filter((request) => request.id !== id)

/** The requests with this one's decision changed, if it has one. */
export const withUpdatedDecision = (
  requests: readonly AccessRequest[],
  id: string,
  change: Pick<AccessDecision, 'until' | 'notificationFailed'>,
): readonly AccessRequest[] =>
  requests.map((request) =>
    request.id === id && request.decision
      ? { ...request, decision: { ...request.decision, ...change } }
      : request,
  )

/** The requests with this one undecided again, because the decision made by this click couldn't be carried out. */
export const withReopenedRequest = (
  requests: readonly AccessRequest[],
  id: string,
  reference: string,
): readonly AccessRequest[] =>
  requests.map(({ decision, ...request }) =>
    request.id === id && decision?.reference === reference
      ? request
      : { ...request, ...(decision && { decision }) },
  )
