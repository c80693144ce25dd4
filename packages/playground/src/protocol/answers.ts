import type { Fields } from './json.ts'
import type { PostBody } from './posts.ts'
import type { Block, FileInfo, Outcome } from './protocol.ts'

/** What a person entered into one element. posts.ts lists the format for each type. */
export type InputValue = string | string[] | null
/** Entered values by block_id and action_id. Contains only values that the person changed; the server adds the initial values. */
export type InputValues = Record<string, Record<string, InputValue>>

/** Identifies a message or a view. */
export type SurfaceRef = PostBody<'action'>['surface']
export type Fault = PostBody<'faults'>[number]

export type OptionsAnswer = { ok: true; options: Fields[] } | (Outcome & { ok: false })

export interface UploadAnswer {
  ok: true
  file: FileInfo
}

export interface RedeliverAnswer {
  ok: true
  /** The app's HTTP status for each copy; 0 if it didn't answer within 3 s. */
  statuses: number[]
}

/** A panel's content. The page shows `statusText` at the top, opens `channel`, and puts `draft` into the message field. */
export type PanelAnswer = {
  ok: true
  blocks: Block[]
  statusText?: string
  channel?: string
  draft?: string
}

export interface SocketsAnswer {
  ok: true
  /** The number of sockets that were disconnected. */
  affected: number
  /** The number of sockets that were open before. */
  open: number
}
