import type { webApi } from '@slack/bolt'
import { PAGES, PER_PAGE, readPages, TooManyPages } from './pages.ts'

/** A person's profile in Slack. */
export interface Person {
  name: string
  /** Their handle, as typed after `@`. */
  handle: string
  /** An IANA time zone, such as `Europe/Paris`. */
  timeZone?: string | undefined
  /** Their workspace. In an organization, one of their workspaces. */
  teamId: string | undefined
  /** All their workspaces: `teamId`, and in an organization the others, too. */
  teamIds: readonly string[]
  /** Their organization (Enterprise Grid). */
  enterpriseId?: string | undefined
  /** An admin or owner of the workspace. */
  isAdmin: boolean
  /** A single-channel or multi-channel guest. */
  isGuest: boolean
  isDeactivated: boolean
  isBot: boolean
}

/** A person in the workspace's directory. */
export interface Member extends Person {
  userId: string
}

export interface UserGroup {
  id: string
  /** Without `@`. */
  handle: string
  name: string
}

export type Directory = ReturnType<typeof createDirectory>

/** The people and user groups of a workspace, according to Slack. */
export function createDirectory(client: webApi.WebClient) {
  /** Yields everyone in the workspace, a page at a time. Throws TooManyPages after the first 19,980. */
  async function* members(): AsyncIterable<Member> {
    for await (const page of readPages(client.users.list, { limit: PER_PAGE }, PAGES))
      for (const user of page.members ?? []) {
        const userId = user.id ?? ''
        yield { ...toPerson(userId, user), userId }
      }
  }

  return {
    async readPerson(userId: string): Promise<Person> {
      const { user } = await client.users.info({ user: userId })
      return toPerson(userId, user ?? {})
    },

    members,

    /** The workspace's own admins and owners, up to a limit. In a large workspace, those among its first 19,980 people. */
    async admins(max: number): Promise<string[]> {
      const adminIds: string[] = []
      try {
        for await (const { userId, isAdmin, isBot, isDeactivated } of members()) {
          if (isAdmin && !isBot && !isDeactivated) adminIds.push(userId)
          if (adminIds.length === max) break
        }
      } catch (error) {
        if (!(error instanceof TooManyPages)) throw error
      }
      return adminIds
    },

    /** The active user groups. Needs the scope `usergroups:read`. */
    async groups(): Promise<UserGroup[]> {
      const { usergroups } = await client.usergroups.list()
      return (usergroups ?? []).map(({ id = '', handle = '', name = '' }) => ({ id, handle, name }))
    },

    /** The user IDs in a user group. Needs the scope `usergroups:read`. */
    async groupMembers(usergroup: string): Promise<string[]> {
      const { users } = await client.usergroups.users.list({ usergroup })
      return users ?? []
    },
  }
}

/** Limits for listing the app's DMs: the number of pages, and DMs per page. */
const MAX_DIRECT_PAGES = 25
const PAGE_SIZE = 200

/**
 * Finds a person's DM with the app in the list of existing ones, because opening one would need another scope. Throws
 * `missing_scope` without `im:read`.
 */
export async function findDirectMessage(
  client: webApi.WebClient,
  userId: string,
): Promise<string | undefined> {
  const options = { types: 'im', limit: PAGE_SIZE }
  for await (const { channels = [] } of readPages(client.users.conversations, options, MAX_DIRECT_PAGES)) {
    // The library's type lacks `user`, which every DM has (https://docs.slack.dev/reference/objects/conversation-object, November
    // 2026).
    const found = channels.find((channel) => (channel as { user?: unknown }).user === userId)
    if (found?.id) return found.id
  }
  return undefined
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>

/**
 * Ignores Slack's `is_stranger`: it's only set for people who share no channel with the app, so its absence doesn't mean that
 * someone is in this organization (https://docs.slack.dev/reference/objects/user-object, November 2026).
 */
function toPerson(userId: string, user: SlackUser): Person {
  const { team_id: teamId, enterprise_user: enterpriseUser } = user
  return {
    name: user.profile?.display_name || user.real_name || user.name || userId,
    handle: user.name ?? '',
    timeZone: user.tz || undefined,
    teamId,
    teamIds: [...new Set([...(teamId ? [teamId] : []), ...(enterpriseUser?.teams ?? user.teams ?? [])])],
    enterpriseId:
      enterpriseUser?.enterprise_id ?? user.enterprise_id ?? (teamId?.startsWith('E') ? teamId : undefined),
    isAdmin: Boolean(user.is_admin || user.is_owner),
    isGuest: Boolean(user.is_restricted || user.is_ultra_restricted),
    isDeactivated: Boolean(user.deleted),
    isBot: Boolean(user.is_bot || user.is_workflow_bot || userId === 'USLACKBOT'),
  }
}
