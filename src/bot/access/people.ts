import { createShortCache } from '../../domain/short-cache.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { Person } from '../../slack/client/person.ts'
import { isAnswer } from '../../slack/client/slack-errors.ts'

const FRESH_MS = 60_000
/** Of 10,000 workspaces, two each: some 400 bytes a person. */
const KEPT = 20_000
const GROUPS_KEPT = 5000

type Where = Parameters<SlackClients['of']>[0]

/**
 * Who people are and which user groups they are in, as Slack says: asked again after a minute, or when it said so longer than
 * `withinMs` ago.
 */
export interface People {
  /** Throws when Slack cannot be asked. */
  personOf(where: Where, userId: string, withinMs?: number): Promise<Person>
  /** Undefined when Slack cannot be asked: a right that cannot be proved is not given. False for a group that is gone. */
  isInGroup(where: Where, groupId: string, userId: string, withinMs?: number): Promise<boolean | undefined>
  /** Slack said that this person has changed. */
  forget(workspaceId: string, userId: string): void
}

export function createPeople(clients: SlackClients, now: () => Date): People {
  const persons = createShortCache<Person>({ freshMs: FRESH_MS, kept: KEPT, now })
  const groups = createShortCache<ReadonlySet<string>>({ freshMs: FRESH_MS, kept: GROUPS_KEPT, now })
  return {
    personOf: (where, userId, withinMs) =>
      persons.get(
        `${where.workspaceId} ${userId}`,
        async () => (await clients.of(where)).personOf(userId),
        withinMs,
      ),
    forget: (workspaceId, userId) => persons.drop(`${workspaceId} ${userId}`),
    async isInGroup(where, groupId, userId, withinMs) {
      const ask = async () => new Set(await (await clients.of(where)).groupMembers(groupId))
      try {
        return (await groups.get(`${where.workspaceId} ${groupId}`, ask, withinMs)).has(userId)
      } catch (error) {
        return isAnswer(error) ? false : undefined
      }
    },
  }
}
