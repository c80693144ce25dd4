import type { Fields } from './protocol.ts'

export type Role = 'member' | 'admin' | 'guest' | 'single-channel-guest' | 'foreign' | 'bot'

export interface Person {
  id: string
  teamId: string
  /** The handle, without `@`. */
  name: string
  realName: string
  email: string
  role: Role
  /** Deactivated. */
  deleted: boolean
  /** People of other organizations: the workspace that they share a channel with and act in. */
  guestIn?: string
  /** People of another organization that is an Enterprise Grid: that organization. */
  organization?: { id: string; name: string }
  /** Other workspaces of their organization that they are in. */
  teams?: readonly string[]
  /** Payloads name their organization instead of their workspace. */
  isOrgWide?: boolean
  /** Such as `Europe/Berlin`. If missing, the time zone of the browser that shows the page, or UTC without a page. */
  tz?: string
  title?: string
  status?: { text: string; emoji: string }
  /** Unix seconds of the last change; missing if there was none since the playground started. */
  updatedAt?: number
}

export interface Workspace {
  id: string
  name: string
  domain: string
  /** The organization (Enterprise Grid) that it belongs to. */
  organization?: { id: string; name: string }
  /** The app is installed in this workspace or in its whole organization. */
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
  /** Unix milliseconds of its last change. */
  updatedMs: number
  /** Newest first. */
  previousNames?: string[]
  /** Who set the topic and the purpose, and when, in Unix seconds. */
  topicSet?: { by: string; at: number }
  purposeSet?: { by: string; at: number }
  /** Not public: a private channel or a group message (mpim). */
  privacy?: 'private' | 'group'
  topic: string
  purpose?: string
  archived: boolean
  /** Links at the top, as in the Web API. */
  bookmarks?: Fields[]
  /** Direct messages that the app has closed for itself. */
  closed?: boolean
  /** The timestamp of the last message that the app has marked as read. */
  lastRead?: string
  /** The other organization that it is shared with (Slack Connect). */
  sharedWith?: string
  /** In several workspaces of the organization. */
  isOrgShared?: boolean
}

/** A group of people that text can mention. */
export interface UserGroup {
  id: string
  teamId: string
  /** Without `@`. */
  handle: string
  name: string
  users: readonly string[]
  description?: string
  /** Channels that its people are added to. */
  channels?: readonly string[]
  /** Unix seconds; 0 or missing while it is enabled. */
  disabledAt?: number
  updatedAt?: number
}
