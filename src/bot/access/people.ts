import { UserError } from '@signalman/runtime'
import {
  type Directory,
  type Member,
  type Person,
  type SlackClients,
  saidNo,
  type Workspace,
} from '@signalman/slack'
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

const USER_ID = /^[UW][A-Z0-9]{5,}$/
/** Most people of one name that are listed. */
const NAMED = 10

/**
 * The user id that somebody types: an id, or what is typed behind `@` in any case, or a display name. Throws UserError when
 * nobody is called so, or several are.
 */
export async function findPerson({ members }: Pick<Directory, 'members'>, typed: string): Promise<string> {
  const name = typed.replace(/^@/, '')
  if (USER_ID.test(name) || name === 'system') return name
  const wanted = name.toLowerCase()
  const named: Member[] = []
  for await (const member of members()) {
    if (member.handle.toLowerCase() === wanted) return member.userId
    if (member.name.toLowerCase() === wanted && named.length < NAMED) named.push(member)
  }
  const [only] = named
  if (only && named.length === 1) return only.userId
  if (!only)
    throw new UserError(
      `Nobody here is called @${name}. Type the person as Slack completes it, or their user id.`,
    )
  throw new UserError(
    `Several people are called ${name}: ${named.map(({ handle, userId }) => `@${handle} (${userId})`).join(', ')}. Type one of these handles or ids.`,
  )
}
