import { MAX_IDLE_MS, type Setting } from '@signalman/durable'
import { DAY_MS, UserError } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import type { GivenRole } from '../../../domain/roles.ts'

/** A person's request for a role, and its decision. */
export interface AccessRequest {
  id: string
  role: GivenRole
  userId: string
  /** When the person asked, ISO 8601. */
  at: string
  /** The messages in which admins were asked. */
  questions: readonly PostedMessage[]
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
  isNotificationFailed?: boolean
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

export const isTooOld = ({ at }: AccessRequest, now: Date): boolean =>
  Date.parse(at) < now.getTime() - EXPIRY_DAYS * DAY_MS

/** Requests that can still be decided, oldest first. */
export const findWaitingRequests = (requests: readonly AccessRequest[], now: Date): AccessRequest[] =>
  requests.filter((one) => isWaiting(one) && !isTooOld(one, now))

/**
 * The request for this role that the person is still waiting for. One that is a day old doesn't count, nor one that never
 * reached an admin because the process stopped.
 */
export function findWaitingRequest(
  requests: readonly AccessRequest[],
  { userId, role }: Pick<AccessRequest, 'userId' | 'role'>,
  now: Date,
): AccessRequest | undefined {
  return requests.find(
    (one) =>
      isWaiting(one) &&
      one.userId === userId &&
      one.role === role &&
      now.getTime() - Date.parse(one.at) < (one.questions.length > 0 ? REPEAT_AFTER_MS : MAX_IDLE_MS),
  )
}

/**
 * Adds a request, unless the same one is already waiting, and drops old ones; if there are too many, decided ones first.
 * Throws UserError if the limit of waiting requests is reached.
 */
export function withRequest(
  requests: readonly AccessRequest[],
  added: AccessRequest,
  now: Date,
): readonly AccessRequest[] {
  if (findWaitingRequest(requests, added, now)) return requests
  // A repeated request replaces the undecided one.
  const others = requests.filter(
    (one) =>
      !isTooOld(one, now) && !(isWaiting(one) && one.userId === added.userId && one.role === added.role),
  )
  const freeSlots = MAX_REQUESTS - 1 - others.filter(isWaiting).length
  if (freeSlots < 0)
    throw new UserError(
      `${MAX_REQUESTS} requests for access are already waiting for an admin, so yours wasn’t sent. Ask an admin to decide them in ${cmd('/hc access')}.`,
    )
  const decided = others.filter((one) => !isWaiting(one))
  const dropped = new Set(decided.slice(0, Math.max(0, decided.length - freeSlots)))
  return [...others.filter((one) => !dropped.has(one)), added]
}

/** The requests with this one changed, if it exists and is undecided. */
export function withUpdatedRequest(
  requests: readonly AccessRequest[],
  id: string,
  change: Partial<AccessRequest>,
): readonly AccessRequest[] {
  return requests.map((one) => (one.id === id && isWaiting(one) ? { ...one, ...change } : one))
}

export const withoutRequest = (requests: readonly AccessRequest[], id: string): readonly AccessRequest[] =>
  requests.filter((one) => one.id !== id)

/** The requests with this one's decision changed, if it has one. */
export const withUpdatedDecision = (
  requests: readonly AccessRequest[],
  id: string,
  change: Pick<AccessDecision, 'until' | 'isNotificationFailed'>,
): readonly AccessRequest[] =>
  requests.map((one) =>
    one.id === id && one.decision ? { ...one, decision: { ...one.decision, ...change } } : one,
  )

/** The requests with this one open again, because this click's decision couldn't be carried out. */
export const withReopenedRequest = (
  requests: readonly AccessRequest[],
  id: string,
  reference: string,
): readonly AccessRequest[] =>
  requests.map(({ decision, ...one }) =>
    one.id === id && decision?.reference === reference ? one : { ...one, ...(decision && { decision }) },
  )
