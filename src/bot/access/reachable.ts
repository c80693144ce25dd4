import { type SlackClients, slackErrorCode, type Workspace, wasRejected } from '@signalman/slack'
import type { GrantableRole } from '../../domain/roles.ts'
import type { Tenancy } from '../install/tenancy.ts'
import type { Grants } from '../workspaces/grants.ts'
import { isAllowed, type Rights } from './access.ts'
import type { Actor, Membership, People } from './actor.ts'

/** Where someone would be notified. Without a channel, in their DM with the app. */
export interface NotificationPlace extends Workspace {
  readonly channelId?: string | undefined
}

/** Tells who can be notified: they read it, and they may press its buttons. */
export type Reachability = ReturnType<typeof createReachability>

/** What people need for the buttons of a notification, such as “I’m on it”. */
const PRESS = { needs: 'viewer' } as const

/** A user group or person to notify. */
interface Recipient {
  readonly id?: string | undefined
  readonly name: string
  readonly isGroup?: boolean | undefined
}

/** Whom of a list Slack can notify in a place. */
export interface LookedUp<One> {
  readonly reachable: readonly One[]
  /** Slack can notify nobody of these there. `reason`: `is deactivated`. */
  readonly not: readonly { readonly one: One; readonly reason: string }[]
  /** Slack didn't say. */
  readonly unknown: readonly { readonly one: One; readonly error: unknown }[]
}

/** The reason of a group that Slack doesn't have anymore. One that was made anew has another ID. */
export const NO_SUCH_GROUP = 'is no longer a user group'

/** How many members of a group are looked up. If there are more in the channel, one of them may well be somebody who can be notified. */
const MAX_MEMBERS = 20

/** The most people with the same standing that are listed, because each one takes a call to Slack. */
export const MAX_REACHABLE = 20

/**
 * Creates the one place that decides who can be notified. Asks Slack each time, because a person may have left since. All
 * functions but `lookUp` throw if Slack can't be reached, so that the caller can try again later.
 */
export function createReachability(deps: {
  rights: Pick<Rights, 'findActor'>
  people: Pick<People, 'readPerson' | 'listMembers' | 'listSlackAdmins'>
  grants: Pick<Grants, 'list'>
  tenancy: Pick<Tenancy, 'findInstaller'>
  clients: SlackClients
}) {
  const { rights, people, grants, tenancy, clients } = deps

  /** Why notifying a person is useless wherever it is. Undefined if it isn't, or if the app may not look them up. */
  async function explainStanding(
    { workspaceId }: Workspace,
    userId: string,
    maxAgeMs = 0,
  ): Promise<string | undefined> {
    try {
      await people.readPerson({ workspaceId }, userId, maxAgeMs)
    } catch (error) {
      if (isNotFound(error)) return MEMBERSHIPS.foreign
      if (wasRejected(error)) return undefined
      throw error
    }
    // Uses the answer that Slack has just given.
    return explainActor(await rights.findActor({ workspaceId, userId }))
  }

  /** Returns which of these people are members of the channel. All of them if the app may not see that. */
  async function findMembers(
    place: NotificationPlace,
    userIds: readonly string[],
    max = userIds.length,
  ): Promise<readonly string[]> {
    const { channelId } = place
    if (channelId === undefined || userIds.length === 0) return userIds
    try {
      const { found, isComplete } = await (await clients.forWorkspace(place)).findInChannel(
        channelId,
        new Set(userIds),
        max,
      )
      return isComplete || found.size >= max ? userIds.filter((userId) => found.has(userId)) : userIds
    } catch (error) {
      if (wasRejected(error)) return userIds
      throw error
    }
  }

  /** Explains why a person can't be notified there: `is deactivated`. Undefined if they can. */
  async function explainPerson(place: NotificationPlace, userId: string): Promise<string | undefined> {
    const reason = await explainStanding(place, userId)
    if (reason !== undefined || (await findMembers(place, [userId])).length > 0) return reason
    return 'isn’t in the channel'
  }

  /** Explains why nobody in a user group can be notified there. Undefined if somebody can, or the app may not read the group. */
  async function explainGroup(place: NotificationPlace, groupId: string): Promise<string | undefined> {
    const userIds = await listGroup(place, groupId)
    if (userIds === 'unknown') return undefined
    if (!userIds) return NO_SUCH_GROUP
    if (userIds.length === 0) return 'has no members'
    const members = await findMembers(place, userIds, MAX_MEMBERS + 1)
    for (const userId of members.slice(0, MAX_MEMBERS))
      if ((await explainStanding(place, userId)) === undefined) return undefined
    return members.length > MAX_MEMBERS ? undefined : 'has nobody who can be notified there'
  }

  /** The first of these people who can be notified there. */
  async function listNotifiable(
    place: NotificationPlace,
    userIds: readonly string[],
    { maxAgeMs = 0 }: { maxAgeMs?: number | undefined } = {},
  ): Promise<string[]> {
    const found: string[] = []
    const members = await findMembers(place, userIds)
    for (let start = 0; start < members.length && found.length < MAX_REACHABLE; start += MAX_REACHABLE) {
      const some = members.slice(start, start + MAX_REACHABLE)
      const reasons = await Promise.all(some.map((userId) => explainStanding(place, userId, maxAgeMs)))
      found.push(...some.filter((_, index) => reasons[index] === undefined))
    }
    return found.slice(0, MAX_REACHABLE)
  }

  /** The members of a group; undefined if Slack has no such group, and `unknown` if the app may not read it. */
  async function listGroup(
    workspace: Workspace,
    groupId: string,
    maxAgeMs = 0,
  ): Promise<readonly string[] | 'unknown' | undefined> {
    try {
      return [...(await people.listMembers(workspace, groupId, maxAgeMs))]
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (wasRejected(error)) return 'unknown'
      throw error
    }
  }

  /** Lists who was granted a role, personally or through a group. A group that the app may not read has no members, as in authorization. */
  async function listHolders(
    workspace: Workspace,
    role: GrantableRole,
    maxAgeMs: number | undefined,
  ): Promise<string[]> {
    const roleGrants = (await grants.list(workspace.workspaceId)).filter((grant) => grant.role === role)
    const found = await Promise.all(
      roleGrants.map(async ({ subject: { kind, id } }) => {
        if (kind !== 'group') return kind === 'user' ? [id] : []
        const members = await listGroup(workspace, id, maxAgeMs)
        return members === undefined || members === 'unknown' ? [] : members
      }),
    )
    return found.flat()
  }

  async function* listCandidates(workspace: Workspace, role: GrantableRole, maxAgeMs: number | undefined) {
    if (role !== 'admin') yield await listHolders(workspace, role, maxAgeMs)
    const installer = await tenancy.findInstaller(workspace.workspaceId)
    yield [...(await listHolders(workspace, 'admin', maxAgeMs)), ...(installer ? [installer] : [])]
    yield await people.listSlackAdmins(workspace)
  }

  return {
    explainPerson,

    /**
     * Whom to ask or notify if something needs a role: the people who were granted it, then the granted admins and the installer, then
     * Slack's admins. Yields each group without those who can't be notified there, and only if somebody is left. A role that
     * everyone has names nobody.
     */
    async *listReachable(
      place: NotificationPlace,
      role: GrantableRole,
      { maxAgeMs }: { maxAgeMs?: number } = {},
    ): AsyncGenerator<readonly string[], void> {
      const seen = new Set<string>()
      for await (const candidates of listCandidates(place, role, maxAgeMs)) {
        const found = await listNotifiable(place, [...new Set(candidates).difference(seen)], { maxAgeMs })
        if (found.length > 0) yield found
        for (const userId of candidates) seen.add(userId)
      }
    },

    /** Whom of these Slack can notify there. Of a group, one person is enough. */
    async lookUp<One extends Recipient>(
      place: NotificationPlace,
      recipients: readonly One[],
    ): Promise<LookedUp<One>> {
      const ends = await Promise.allSettled(
        recipients.map(({ id, name, isGroup }) =>
          isGroup ? explainGroup(place, id ?? name) : explainPerson(place, id ?? name),
        ),
      )
      const reachable: One[] = []
      const not: LookedUp<One>['not'][number][] = []
      const unknown: LookedUp<One>['unknown'][number][] = []
      for (const [index, one] of recipients.entries()) {
        const end = ends[index]
        if (end?.status === 'rejected') unknown.push({ one, error: end.reason })
        else if (end?.value !== undefined) not.push({ one, reason: end.value })
        else reachable.push(one)
      }
      return { reachable, not, unknown }
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

const isNotFound = (error: unknown): boolean =>
  /^(?:users?_not_found|user_not_visible|no_such_subteam|subteam_not_found)$/.test(
    slackErrorCode(error) ?? '',
  )
