import type { Fields } from '../protocol/json.ts'
import type { FileInfo, Message } from '../protocol/protocol.ts'

/** A message, with the fields that only the server needs. */
export interface StoredMessage extends Message {
  /** The only reader of an ephemeral message. */
  readerId: string | null
  metadata: Fields | null
  /** Slack's `client_msg_id`. Only messages that a person typed have one. */
  clientId: string | null
  /** Additional fields for the message's subtype, such as the new topic or the inviter. */
  subtypeDetails?: Fields
  /** On the parent of a thread: the people who replied, in the order of their first reply, and the latest reply's ts. */
  replies?: { users: string[]; latest: string }
  /** On a reply: the author of the parent. */
  parentUser?: string
  /** The last edit: its author and time. */
  editedAt: { user: string; ts: string } | null
}

export interface StoredFile {
  info: FileInfo
  bytes: Buffer | null
  createdMs: number
  channels: string[]
  /** The messages that contain the file. */
  shares: { channel: string; ts: string; threadTs: string | null; user: string }[]
  /** The size that the app passed to files.getUploadURLExternal; null for a person's file. */
  declaredSize: number | null
  /** The workspaces whose installation got the file in a view's state. */
  receivedIn?: string[]
  /** For the app's uploads, false until it has called files.completeUploadExternal. */
  complete: boolean
}
