import { type Person, type SlackClients, saidNo, type Workspace } from '@signalman/slack'
import { createShortCache } from '../../domain/short-cache.ts'

const FRESH_MS = 60_000
/** Enough for 10,000 workspaces with two people each; some 400 bytes a person. */
const KEPT = 20_000
const GROUPS_KEPT = 5000

/**
 * Who people are and which user groups they are in, as Slack says. An answer is used for a minute, or for `maxAgeMs`.
 */
export interface People {
  /** Throws when Slack cannot be asked. */
  personOf(workspace: Workspace, userId: string, maxAgeMs?: number): Promise<Person>
  /** Undefined when Slack cannot be asked: a right that cannot be proved is not given. False for a group that is gone. */
  isInGroup(
    workspace: Workspace,
    groupId: string,
    userId: string,
    maxAgeMs?: number,
  ): Promise<boolean | undefined>
  /** Slack said that this person has changed. */
  forget(workspaceId: string, userId: string): void
}

export function createPeople(clients: SlackClients, now: () => Date): People {
  const persons = createShortCache<Person>({ freshMs: FRESH_MS, kept: KEPT, now })
  const groups = createShortCache<ReadonlySet<string>>({ freshMs: FRESH_MS, kept: GROUPS_KEPT, now })
  return {
    personOf: (workspace, userId, maxAgeMs) =>
      persons.get(
        `${workspace.workspaceId} ${userId}`,
        async () => (await clients.of(workspace)).personOf(userId),
        maxAgeMs,
      ),
    forget: (workspaceId, userId) => persons.drop(`${workspaceId} ${userId}`),
    async isInGroup(workspace, groupId, userId, maxAgeMs) {
      const ask = async () => new Set(await (await clients.of(workspace)).groupMembers(groupId))
      try {
        return (await groups.get(`${workspace.workspaceId} ${groupId}`, ask, maxAgeMs)).has(userId)
      } catch (error) {
        return saidNo(error) ? false : undefined
      }
    },
  }
}
