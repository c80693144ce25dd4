import type { Generated } from 'kysely'

/** An act that is done once: `key` is the SHA-256 of the caller's name for it, base64url. */
export interface IdempotencyKeyRow {
  key: string
  /** The caller that has claimed the key. */
  claimant: string
  claimed_at: string
}

/** JSON that outlives a request, sealed for exactly this row. */
export interface EphemeralStateRow {
  id: string
  workspace_id: string
  sealed_body: string
  expires_at: string
}

/** One setting of a workspace. */
export interface SettingRow {
  workspace_id: string
  key: string
  /** JSON. */
  value: string
  sealed_proof: string
}

/** The outcome of an act. Begun: a later row has its outcome. Unknown: it may or may not have happened. */
export type AuditOutcome = 'begun' | 'done' | 'refused' | 'failed' | 'unknown'

/** One act in a workspace's audit log. Rows are added and, from the start, removed; never changed. */
export interface AuditEntryRow {
  workspace_id: string
  sequence: number
  previous_hash: string
  hash: string
  at: string
  user_id: string
  team_id: string | null
  channel_id: string | null
  verb: string
  object: string | null
  /** JSON. */
  before: string | null
  /** JSON. */
  after: string | null
  outcome: AuditOutcome
  reference: string
  /** Random, part of the hash, so that the content of an erased row cannot be guessed from it. Null once the row is erased. */
  salt: string | null
  /** The proof that the row was erased, sealed for exactly this row. */
  sealed_erasure: string | null
}

/** Both ends of a workspace's audit log, sealed for exactly this row. The one of no workspace counts the others. */
export interface AuditChainRow {
  workspace_id: string
  sealed_head: string
}

/** Two states; the second may follow the first. */
export interface StateMoveRow {
  from_state: string
  to_state: string
}

/** Work that outlives the request that asked for it; `sealed_body` is JSON, sealed for exactly this row. */
export interface WorkRow {
  id: string
  workspace_id: string
  kind: string
  key: string | null
  person_id: string | null
  state: WorkState
  sealed_body: string | null
  /** Not before this time; by the database's clock, as all its times. */
  due_at: string
  /** The process that works on it, and until when its last sign of life is good. */
  owner: string | null
  held_until: string | null
  attempts: Generated<number>
  /** 1 when it became due again while it ran. */
  wanted_again: Generated<number>
  /** 1 when somebody has asked for it to stop. */
  wants_stop: Generated<number>
  /** The message that shows its progress, once there is one. */
  message_channel: string | null
  message_ts: string | null
  made_at: string
  touched_at: string
  /** The reference of its request, in the log and in the trace; null for work that no request began. */
  reference: string | null
  traceparent: string | null
}

/** Prepared: a person has yet to confirm it. Waiting: for its time, or for a process. Stopped: can be started again. */
export type WorkState = 'prepared' | 'waiting' | 'running' | 'stopped' | 'done'

/** One step: of a job, a line of a file; of an act, something that it does. */
export interface WorkStepRow {
  /** The work's id, a dot, the line. */
  id: string
  work_id: string
  line: number
  /** For an act's step: what it does, to recognize it. */
  name: string | null
  state: StepState
  sealed_body: string | null
  begun_at: string | null
  /** The process that began it last. */
  begun_by: string | null
  result: string | null
  /** For an act's step: its result or error, sealed for exactly this row. */
  sealed_result: string | null
}

/** Begun: it may or may not have happened. Found: it had happened before. */
export type StepState = 'ready' | 'begun' | 'done' | 'found' | 'refused'

/** One row for each key that has ever sealed here: it opens only with that key. */
export interface KeyCheckRow {
  key_id: string
  sealed: string
  made_at: string
}

/** A key of one workspace, sealed with an encryption key for exactly this row. */
export interface WorkspaceKeyRow {
  id: string
  workspace_id: string
  purpose: KeyPurpose
  /** Null once it is destroyed: the row stays, so that no restore brings it back. */
  sealed_key: string | null
  made_at: string
  /** Since when it no longer seals. */
  retired_at: string | null
  /** When it was destroyed because another one had replaced it; null where its workspace was forgotten. */
  dropped_at: string | null
}

/** What a workspace's key seals: the content of its rows, or whole rows in backups. */
export type KeyPurpose = 'content' | 'rows'

/** A post whose outcome is not known yet. */
export interface PostAttemptRow {
  workspace_id: string
  /** Names the message: a workspace has one row of each. */
  key: string
  /** The id in the metadata of the message in Slack. */
  mark: string
  /** The version of its subject that it tells. */
  version: number
  attempted_at: string
}

/** A process that shares the database. */
export interface ProcessRow {
  id: string
  seen_at: string
  /** The key that it seals with. */
  key_id: string
  /** Where it runs, for whoever has to find it. */
  about: string
}

/** A migration that has run. */
export interface MigrationRow {
  name: string
  applied_at: string
}

/**
 * Rows as both databases return them: times are ISO text in UTC, flags 0 or 1. Whoever owns other tables adds their rows, by
 * `declare module '@signalman/durable/schema'`.
 */
export interface Schema {
  ephemeral_state: EphemeralStateRow
  idempotency_key: IdempotencyKeyRow
  setting: SettingRow
  audit_entry: AuditEntryRow
  audit_chain: AuditChainRow
  work: WorkRow
  work_step: WorkStepRow
  key_check: KeyCheckRow
  workspace_key: WorkspaceKeyRow
  post_attempt: PostAttemptRow
  process: ProcessRow
  migration: MigrationRow
}
