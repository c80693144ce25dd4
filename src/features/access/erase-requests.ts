import type { Settings } from '@signalman/durable'
import { ACCESS_REQUESTS, type AccessRequest } from './rules/requests.ts'

/** Deletes the requests that a person made or decided. Returns how many were deleted. */
export async function eraseRequests(
  settings: Pick<Settings, 'get' | 'change'>,
  workspaceId: string,
  person: string,
): Promise<number> {
  const withoutPerson = (requests: readonly AccessRequest[]) =>
    requests.filter(({ userId, decision }) => userId !== person && decision?.by !== person)
  const requests = await settings.get(workspaceId, ACCESS_REQUESTS)
  const count = requests.length - withoutPerson(requests).length
  if (count > 0) await settings.change(workspaceId, ACCESS_REQUESTS, withoutPerson)
  return count
}
