export type Role = 'member' | 'admin' | 'guest' | 'foreign' | 'bot'

export interface Person {
  id: string
  teamId: string
  /** The handle, without `@`. */
  name: string
  realName: string
  role: Role
  /** Whether the person is deactivated. */
  deleted: boolean
  /** For people of other organizations: the ID of the workspace that they act in, which shares a channel with them. */
  guestIn?: string
}

export interface Workspace {
  id: string
  name: string
  domain: string
  /** The Enterprise Grid organization that the workspace belongs to. */
  organization?: { id: string; name: string }
  /** Whether the app is installed in this workspace. */
  installed: boolean
}

export interface Channel {
  id: string
  teamId: string
  /** Without `#`; for a direct message, the other person's ID. */
  name: string
  kind: 'channel' | 'dm'
  /** Direct messages: the two people. Channels: their members, including the bot. */
  members: string[]
  topic: string
  /** Whether it's the workspace's general channel, which can't be left. */
  isGeneral?: boolean
  /** The name of the organization that the channel is shared with (Slack Connect). */
  sharedWith?: string
}

/** A user group, such as @on-call. */
export interface UserGroup {
  id: string
  teamId: string
  /** Without `@`. */
  handle: string
  name: string
  users: readonly string[]
}

/** Whether the person is a guest, who only has access to some channels. */
export const isGuest = ({ role }: Pick<Person, 'role'>): boolean => role === 'guest'

/**
 * The ID of the workspace that a person acts in: their own, or for people of other organizations, the one that shares a channel with
 * them.
 */
export const activeTeamId = ({ guestIn, teamId }: Person): string => guestIn ?? teamId
