import { DAY_MS } from '../../domain/durations.ts'
import { type AccessRequest, DECIDED_KEPT_DAYS, isWaiting, KEPT, waitingFor } from './requests.ts'

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

/** The requests with this one changed, if it is there and nobody has decided it. */
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
