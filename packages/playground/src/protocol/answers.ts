import type { PostBody } from './posts.ts'
import type { Block, Fields, FileInfo, Outcome } from './protocol.ts'

/** What a person entered into one element. posts.ts lists the format for each type. */
export type InputValue = string | string[] | null
/** Entered values by block_id and action_id. Contains only values that the person changed; the server adds the initial values. */
export type InputValues = Record<string, Record<string, InputValue>>

/** Identifies a message or a view. */
export type SurfaceRef = PostBody<'action'>['surface']
export type Fault = PostBody<'faults'>[number]

export type OptionsAnswer = { ok: true; options: Fields[]; groups: Fields[] } | (Outcome & { ok: false })

export interface UploadAnswer {
  ok: true
  file: FileInfo
}

export interface RedeliverAnswer {
  ok: true
  /** The app's HTTP status for each copy; 0 if it didn't answer within 3 s. */
  statuses: number[]
}

/** An input or output of a workflow step, as in `function_executed`. */
export interface StepField {
  type: string
  name: string
  description: string
  title: string
  is_required: boolean
  /** The allowed values, if known. */
  choices?: string[]
}

/** A workflow step that the app provides. */
export interface StepFunction {
  callbackId: string
  title: string
  description: string
  inputs: StepField[]
  outputs: StepField[]
}

/** A run of a workflow step, with its result after it has ended. */
export interface StepRun {
  id: string
  callbackId: string
  /** The person who started it. */
  user: string
  status: 'running' | 'completed' | 'failed'
  outputs: Fields
  error: string | null
}

export type ToolAnswer = { ok: true; result: Fields } | { ok: false; error: string; message: string }

/** A panel's content. The page shows `statusText` above the blocks, and puts `draft` into the message field. */
export type PanelAnswer = { ok: true; blocks: Block[]; statusText?: string; draft?: string }

/** The pane that shows the details of a work object. The app provides its content. */
export interface Pane {
  /** The work object's external ID. */
  ref: string
  metadata: Fields | null
  error: Fields | null
  /** The app's login page, if the person has to log in to see the details. */
  authUrl: string | null
}

export interface SocketsAnswer {
  ok: true
  /** The number of sockets that were disconnected. */
  affected: number
  /** The number of sockets that were open before. */
  open: number
}
