import type { Settings } from '@signalman/durable'
import { ACCESS_REQUESTS, type AccessRequest } from './rules/requests.ts'

/** Deletes the requests that a person made or decided. Returns how many were deleted. */
export async function eraseRequests(
  settings: Pick<Settings, 'get' | 'change'>,
  workspaceId: string,
  person: string,
): Promise<number> {
  const withoutPerson = (all: readonly AccessRequest[]) =>
    all.filter(({ userId, decision }) => userId !== person && decision?.by !== person)
  const all = await settings.get(workspaceId, ACCESS_REQUESTS)
  const count = all.length - withoutPerson(all).length
  if (count > 0) await settings.change(workspaceId, ACCESS_REQUESTS, withoutPerson)
  return count
}
