import type { Fields } from './json.ts'

export type Role = 'member' | 'admin' | 'guest' | 'single-channel-guest' | 'foreign' | 'bot'

export interface Person {
  id: string
  teamId: string
  /** The handle, without `@`. */
  name: string
  realName: string
  /** The name that the person chose to be shown as. Until they choose one, Slack shows the real name. */
  displayName?: string
  email: string
  role: Role
  /** Whether the person is deactivated. */
  deleted: boolean
  /** For people of other organizations: the ID of the workspace that they act in, which shares a channel with them. */
  guestIn?: string
  /** The person's organization, if it's a different Enterprise Grid organization. */
  organization?: { id: string; name: string }
  /** The other workspaces in their organization that they belong to. */
  teams?: readonly string[]
  /** Whether payloads contain the organization's ID instead of the workspace's. */
  isOrgWide?: boolean
  /** An IANA time zone. Defaults to the time zone of the browser that shows the page, or to UTC. */
  tz?: string
  title?: string
  status?: { text: string; emoji: string }
  /** The time of the last change in Unix seconds; missing if nothing has changed since the playground started. */
  updatedAt?: number
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
  /** Unix seconds. */
  created: number
  creator: string
  /** The time of the last change, in Unix milliseconds. */
  updatedMs: number
  /** Former names, newest first. */
  previousNames?: string[]
  /** Who last set the topic, and when (Unix seconds). */
  topicSet?: { by: string; at: number }
  /** Who last set the purpose, and when (Unix seconds). */
  purposeSet?: { by: string; at: number }
  /** A private channel, or a group message (mpim). Missing for public channels and direct messages. */
  privacy?: 'private' | 'group'
  topic: string
  purpose?: string
  archived: boolean
  /** Whether it's the workspace's general channel, which can be renamed, but not left or archived. */
  isGeneral?: boolean
  /** Bookmarks as in the Web API. */
  bookmarks?: Fields[]
  /** Whether the app has closed this direct or group message for itself. */
  closed?: boolean
  /** The timestamp of the last message that the app has marked as read. */
  lastRead?: string
  /** The name of the organization that the channel is shared with (Slack Connect). */
  sharedWith?: string
  /** Whether the channel is in several workspaces of the organization. */
  isOrgShared?: boolean
}

/** A user group, such as @on-call. */
export interface UserGroup {
  id: string
  teamId: string
  /** Without `@`. */
  handle: string
  name: string
  users: readonly string[]
  description?: string
  /** The IDs of the group's default channels. */
  channels?: readonly string[]
  /** When the group was disabled, in Unix seconds; 0 or missing if it is enabled. */
  disabledAt?: number
  updatedAt?: number
}

/** Whether the person is a guest, who only has access to some channels. */
export const isGuest = ({ role }: Pick<Person, 'role'>): boolean =>
  role === 'guest' || role === 'single-channel-guest'

/**
 * The ID of the workspace that a person acts in: their own, or for people of other organizations, the one that shares a channel with
 * them.
 */
export const activeTeamId = ({ guestIn, teamId }: Person): string => guestIn ?? teamId

/** Slack's name for a type of conversation, as used in scopes, events, and payloads. */
export type ConversationType = 'channel' | 'group' | 'mpim' | 'im'

export function conversationType({ kind, privacy }: Pick<Channel, 'kind' | 'privacy'>): ConversationType {
  if (kind === 'dm') return 'im'
  if (privacy === undefined) return 'channel'
  return privacy === 'group' ? 'mpim' : 'group'
}
