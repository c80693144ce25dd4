import type { webApi } from '@slack/bolt'

/** What Slack says of a person. The e-mail address needs the scope `users:read.email`. */
export interface Person {
  name: string
  email: string | undefined
  /** Of the IANA database, such as `Europe/Paris`. */
  timeZone?: string | undefined
  /** Their own workspace; in an organization, one of its workspaces. */
  teamId: string | undefined
  enterpriseId?: string | undefined
  /** An admin or owner of the workspace. */
  isAdmin: boolean
  /** A guest of one or of several channels. */
  isGuest: boolean
  isDeactivated: boolean
  isBot: boolean
  /** Of another organization, met in a shared channel. */
  isStranger: boolean
}

/** Someone in the workspace's directory. */
export interface Member extends Person {
  userId: string
  /** What is typed behind `@`. */
  handle: string
}

/** A user group: people under one handle. */
export interface UserGroup {
  id: string
  /** Without `@`. */
  handle: string
  name: string
}

export interface Directory {
  personOf(userId: string): Promise<Person>
  /** Everyone in the workspace, a page at a time; at most 20,000. */
  members(): AsyncIterable<Member>
  /** The user groups that are in use. Needs the scope `usergroups:read`. */
  groups(): Promise<UserGroup[]>
  /** User ids of a user group. Needs the scope `usergroups:read`. */
  groupMembers(groupId: string): Promise<string[]>
}

const PAGES = 100
const PAGE = 200

/** Who there is in a workspace, as Slack tells it. */
export function createDirectory(client: webApi.WebClient): Directory {
  return {
    async personOf(userId) {
      const { user } = await client.users.info({ user: userId })
      return personFrom(userId, user ?? {})
    },

    async *members() {
      let cursor = ''
      for (let page = 0; page < PAGES; page += 1) {
        const found = await client.users.list({ limit: PAGE, ...(cursor && { cursor }) })
        for (const user of found.members ?? []) {
          const userId = user.id ?? ''
          yield { ...personFrom(userId, user), userId, handle: user.name ?? '' }
        }
        cursor = found.response_metadata?.next_cursor ?? ''
        if (!cursor) return
      }
    },

    async groups() {
      const { usergroups } = await client.usergroups.list()
      return (usergroups ?? []).map(({ id = '', handle = '', name = '' }) => ({ id, handle, name }))
    },

    async groupMembers(usergroup) {
      const { users } = await client.usergroups.users.list({ usergroup })
      return users ?? []
    },
  }
}

type SlackUser = NonNullable<webApi.UsersInfoResponse['user']>

function personFrom(userId: string, user: SlackUser): Person {
  return {
    name: user.profile?.display_name || user.real_name || user.name || userId,
    email: user.profile?.email || undefined,
    timeZone: user.tz || undefined,
    teamId: user.team_id,
    enterpriseId: user.enterprise_user?.enterprise_id,
    isAdmin: Boolean(user.is_admin || user.is_owner),
    isGuest: Boolean(user.is_restricted || user.is_ultra_restricted),
    isDeactivated: Boolean(user.deleted),
    isBot: Boolean(user.is_bot || user.is_workflow_bot || userId === 'USLACKBOT'),
    isStranger: Boolean(user.is_stranger),
  }
}
