import type { Post } from './posts.ts'
import type { Block, Fields, FileInfo, Outcome } from './protocol.ts'

/** What a person put into one element, as posts.ts says by kind. */
export type InputValue = string | string[] | null
/** block_id → action_id → value. Only what the person touched: the server fills in initial values. */
export type InputValues = Record<string, Record<string, InputValue>>

export type Place = Post<'action'>['place']
export type Fault = Post<'faults'>[number]

export type OptionsAnswer = { ok: true; options: Fields[]; groups: Fields[] } | (Outcome & { ok: false })

export interface UploadAnswer {
  ok: true
  file: FileInfo
}

export interface RedeliverAnswer {
  ok: true
  /** The app's status for each; 0 when there was no answer in 3 s. */
  statuses: number[]
}

/** An input or an output of a step, as `function_executed` repeats it. */
export interface StepField {
  type: string
  name: string
  description: string
  title: string
  is_required: boolean
  /** One of these, where they are known. */
  choices?: string[]
}

/** A step of workflows that the app brings. */
export interface StepFunction {
  callbackId: string
  title: string
  description: string
  inputs: StepField[]
  outputs: StepField[]
}

/** What became of a step. */
export interface StepRun {
  id: string
  callbackId: string
  /** Who started it. */
  user: string
  status: 'running' | 'completed' | 'failed'
  outputs: Fields
  error: string | null
}

export type ToolAnswer = { ok: true; result: Fields } | { ok: false; error: string; message: string }

/** `text` is said over the blocks; `type` goes into the field of the conversation. */
export type PanelAnswer = { ok: true; blocks: Block[]; text?: string; type?: string }

/** What one person sees of a work object: the app's answer to its opening. */
export interface Pane {
  /** The external id. */
  ref: string
  metadata: Fields | null
  error: Fields | null
  /** Where the person is to log in first. */
  authUrl: string | null
}

export interface SocketsAnswer {
  ok: true
  /** How many were told. */
  told: number
  /** How many were open. */
  open: number
}
