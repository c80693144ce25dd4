import { isDirect, type SlackClients, slackErrorCode, type Workspace, wasRejected } from '@signalman/slack'
import type { Role } from '../../domain/roles.ts'
import { type Access, isAllowed } from './access.ts'
import type { Actor, Membership, People } from './actor.ts'
import type { ListAdmins } from './holders.ts'

/** Where someone would be notified. Without a channel, in their DM with the app. */
export interface NotificationPlace extends Workspace {
  /** A channel, or a DM with the app. */
  readonly channelId?: string | undefined
  /** Whose DM `channelId` is, if it is one. */
  readonly directUserId?: string | undefined
}

/** Tells who can be notified: they read it, and they may press its buttons. */
export type Reachability = ReturnType<typeof createReachability>

/** What people need for the buttons of a notification, such as “I’m on it”. */
const PRESS = { needs: 'viewer', noGuests: 'changes' } as const

/** The maximum number of group members to look up. A larger group may well have someone who can be notified. */
const MAX_MEMBERS = 20

/**
 * Creates the one place that decides who can be notified. Asks Slack each time, because a person may have left since. All
 * functions throw if Slack can't be reached, so that the caller can try again later.
 */
export function createReachability(deps: {
  access: Pick<Access, 'findActor' | 'hasRoleOrThrow'>
  people: Pick<People, 'readPerson'>
  clients: SlackClients
  listAdmins: ListAdmins
}) {
  const { access, people, clients, listAdmins } = deps

  /** Why notifying a person is useless wherever it is. Undefined if it isn't, or if the app may not look them up. */
  async function explainStanding(workspace: Workspace, userId: string): Promise<string | undefined> {
    const { workspaceId, enterpriseId } = workspace
    try {
      await people.readPerson({ workspaceId, enterpriseId }, userId, 0)
    } catch (error) {
      if (isNotFound(error)) return MEMBERSHIPS.foreign
      if (wasRejected(error)) return undefined
      throw error
    }
    // Uses the answer that Slack has just given.
    return explainActor(await access.findActor({ workspaceId, enterpriseId, userId }))
  }

  /** Returns which of these people are members of the channel. All of them if the app may not see that. */
  async function findMembers(
    place: NotificationPlace,
    userIds: readonly string[],
  ): Promise<readonly string[]> {
    const { channelId, directUserId } = place
    if (channelId === undefined || userIds.length === 0) return userIds
    if (isDirect(channelId)) return userIds.filter((userId) => userId === directUserId)
    try {
      const { found, isComplete } = await (await clients.forWorkspace(place)).findInChannel(
        channelId,
        new Set(userIds),
      )
      return isComplete ? userIds.filter((userId) => found.has(userId)) : userIds
    } catch (error) {
      if (wasRejected(error)) return userIds
      throw error
    }
  }

  async function explainMissingRole(
    workspace: Workspace,
    userId: string,
    needs: Role,
  ): Promise<string | undefined> {
    if (needs === 'viewer' || (await access.hasRoleOrThrow(workspace, userId, needs))) return undefined
    return `doesn’t have the ${needs} role`
  }

  /**
   * Explains why a person can't be notified there: `is deactivated`. Undefined if they can. `needs`: the role that the buttons of
   * the notification need.
   */
  async function explainPerson(
    place: NotificationPlace,
    userId: string,
    needs: Role = PRESS.needs,
  ): Promise<string | undefined> {
    const reason = (await explainStanding(place, userId)) ?? (await explainMissingRole(place, userId, needs))
    if (reason !== undefined || (await findMembers(place, [userId])).length > 0) return reason
    return isDirect(place.channelId ?? '') ? 'isn’t in this direct message' : 'isn’t in the channel'
  }

  async function isAnyReachable(place: NotificationPlace, userIds: readonly string[]): Promise<boolean> {
    for (const userId of await findMembers(place, userIds))
      if ((await explainStanding(place, userId)) === undefined) return true
    return false
  }

  return {
    explainPerson,

    /** Explains why nobody in a user group can be notified there. Undefined if at least one person can. */
    async explainGroup(place: NotificationPlace, groupId: string): Promise<string | undefined> {
      if (isDirect(place.channelId ?? '')) return 'is a group, which can’t be paged in a direct message'
      const userIds = await listGroup(await clients.forWorkspace(place), groupId)
      if (userIds === 'unknown') return undefined
      if (!userIds) return 'is no longer a user group'
      if (userIds.length === 0) return 'has no members'
      if (userIds.length > MAX_MEMBERS || (await isAnyReachable(place, userIds))) return undefined
      return 'has nobody who can be notified there'
    },

    /** The first admin who can be notified in a DM. Undefined if there is none. */
    async findAdmin(workspace: Workspace, except: readonly string[] = []): Promise<string | undefined> {
      for await (const userId of listAdmins(workspace))
        if (!except.includes(userId) && (await explainStanding(workspace, userId)) === undefined)
          return userId
      return undefined
    },
  }
}

function explainActor(actor: Actor): string | undefined {
  if (isAllowed(actor, new Map(), PRESS)) return undefined
  // `member` is always allowed; Slack has just answered, so a person isn't `unknown` unless it said nothing about them.
  return MEMBERSHIPS[actor.membership] ?? 'can’t press buttons here'
}

const MEMBERSHIPS: Readonly<Partial<Record<Membership, string>>> & { foreign: string } = {
  deactivated: 'is deactivated',
  bot: 'is an app',
  guest: 'is a guest, and guests can’t press “I’m on it”',
  foreign: 'isn’t in this workspace',
}

/** The members of a group; undefined if Slack has no such group, and `unknown` if the app may not read it. */
async function listGroup(
  slack: { groupMembers(id: string): Promise<string[]> },
  groupId: string,
): Promise<readonly string[] | 'unknown' | undefined> {
  try {
    return await slack.groupMembers(groupId)
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (wasRejected(error)) return 'unknown'
    throw error
  }
}

const isNotFound = (error: unknown): boolean =>
  /^(?:users?_not_found|user_not_visible|no_such_subteam|subteam_not_found)$/.test(
    slackErrorCode(error) ?? '',
  )
