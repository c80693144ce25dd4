import type { Fields } from '../protocol/json.ts'
import type { FileInfo, Message } from '../protocol/protocol.ts'

/** A message, with the fields that only the server needs. */
export interface StoredMessage extends Message {
  /** The only reader of an ephemeral message. */
  readerId: string | null
  metadata: Fields | null
  /** Slack's `client_msg_id`. Only messages that a person typed have one. */
  clientId: string | null
  /** The last edit: its author and time. */
  editedAt: { user: string; ts: string } | null
}

export interface StoredFile {
  info: FileInfo
  bytes: Buffer | null
  channels: string[]
  /** The size that the app passed to files.getUploadURLExternal; null for a person's file. */
  declaredSize: number | null
  /** The workspaces whose installation got the file in a view's state. */
  receivedIn?: string[]
  /** For the app's uploads, false until it has called files.completeUploadExternal. */
  complete: boolean
}
