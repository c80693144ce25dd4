import { MAX_IDLE_MS, type Setting } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import type { GrantableRole } from '../../../domain/roles.ts'

/** A person's request for a role, and the decision once there is one. */
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
  /** When an admin decided, ISO 8601. */
  at: string
  isApproval: boolean
  /** The reference of the button click that made this decision, to tell it from later clicks. */
  reference: string
  /** When the role ends, ISO 8601. Undefined if it is permanent, or if the request was declined. */
  until?: string
  /** Whether the person who asked couldn't be notified. Undefined until Slack has answered. */
  notificationFailed?: boolean
  /** Why no DM was sent to them: `is deactivated`. */
  notSentBecause?: string
}

const MAX_REQUESTS = 200
/** Requests older than this can't be decided. */
const EXPIRY_DAYS = 30

/** After this time, a person may ask for the same role again. */
const REPEAT_AFTER_MS = DAY_MS

/**
 * The workspace's access requests, oldest first. They are stored in one setting and updated in one transaction, so if two admins
 * decide at the same time, only one of them succeeds.
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
 * The person's undecided request for this role. Ignores requests that are more than a day old and, after MAX_IDLE_MS, requests
 * that never reached an admin because the process stopped.
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
      // After MAX_IDLE_MS, an interrupted interaction isn't continued, so its request won't reach any admin.
      now.getTime() - Date.parse(request.at) <
        (request.adminMessages.length > 0 ? REPEAT_AFTER_MS : MAX_IDLE_MS),
  )
}

/**
 * Adds a request, unless the person is already waiting for this role. Removes expired requests, and the oldest decided ones if
 * there are too many. Throws UserError if too many are waiting.
 */
export function withRequest(
  requests: readonly AccessRequest[],
  added: AccessRequest,
  now: Date,
): readonly AccessRequest[] {
  if (findWaitingRequest(requests, added, now)) return requests
  // The person's undecided request is too old to count as waiting, so the new one replaces it.
  const activeRequests = requests.filter(
    (request) =>
      !isExpired(request, now) &&
      !(isWaiting(request) && request.userId === added.userId && request.role === added.role),
  )
  const maxDecided = MAX_REQUESTS - activeRequests.filter(isWaiting).length - 1
  if (maxDecided < 0)
    throw new UserError(
      `${MAX_REQUESTS} requests for access are already waiting for an admin, so yours wasn’t sent. Ask an admin to decide on them in ${cmd('/hc access')}.`,
    )
  const decidedRequests = activeRequests.filter((request) => !isWaiting(request))
  const removedRequests = new Set(decidedRequests.slice(0, Math.max(0, decidedRequests.length - maxDecided)))
  return [...activeRequests.filter((request) => !removedRequests.has(request)), added]
}

/** Changes a request, unless it is decided. Returns the updated list. */
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

/** Changes the decision on a request, if it has one. Returns the updated list. */
export const withUpdatedDecision = (
  requests: readonly AccessRequest[],
  id: string,
  change: Pick<AccessDecision, 'until' | 'notificationFailed' | 'notSentBecause'>,
): readonly AccessRequest[] =>
  requests.map((request) =>
    request.id === id && request.decision
      ? { ...request, decision: { ...request.decision, ...change } }
      : request,
  )

/** Makes a request undecided again, because this click's decision couldn't be carried out. Returns the updated list. */
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
