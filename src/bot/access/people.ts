import { createShortCache } from '../../domain/short-cache.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { Person } from '../../slack/client/directory.ts'
import { isAnswer } from '../../slack/client/slack-errors.ts'

const FRESH_MS = 60_000
const KEPT = 5000

type Where = Parameters<SlackClients['of']>[0]

/** Who people are and which user groups they are in, as Slack says; asked again after a minute. */
export interface People {
  /** Throws when Slack cannot be asked. */
  personOf(where: Where, userId: string): Promise<Person>
  /** Undefined when Slack cannot be asked: a right that cannot be proved is not given. False for a group that is gone. */
  isInGroup(where: Where, groupId: string, userId: string): Promise<boolean | undefined>
}

export function createPeople(clients: SlackClients, now: () => Date): People {
  const persons = createShortCache<Person>({ freshMs: FRESH_MS, kept: KEPT, now })
  const groups = createShortCache<ReadonlySet<string>>({ freshMs: FRESH_MS, kept: KEPT, now })
  return {
    personOf: (where, userId) =>
      persons.get(`${where.workspaceId} ${userId}`, async () => (await clients.of(where)).personOf(userId)),
    async isInGroup(where, groupId, userId) {
      const ask = async () => new Set(await (await clients.of(where)).groupMembers(groupId))
      try {
        return (await groups.get(`${where.workspaceId} ${groupId}`, ask)).has(userId)
      } catch (error) {
        return isAnswer(error) ? false : undefined
      }
    },
  }
}
