import type { Generated } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { OrderState } from '../../domain/order-states.ts'
import type { GivenRole, SubjectKind } from '../../domain/roles.ts'
import type { ThreatTables } from './threat-rows.ts'
import type { WatchTables } from './watch-rows.ts'

/** A workspace's token for one environment, sealed for exactly this row. */
export interface ConnectionRow {
  workspace_id: string
  environment: Environment
  sealed_token: string
  user_id: string
  stored_at: string
}

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

/** A channel's own settings. */
export interface ChannelRow {
  workspace_id: string
  channel_id: string
  environment: Environment
}

/** A bot's token in one workspace, or in all of one organization, sealed for exactly this row. */
export interface InstallationRow {
  /** The workspace's id, or the organization's. */
  id: string
  kind: InstallationKind
  enterprise_id: string | null
  name: string
  sealed_token: string
  bot_user_id: string
  app_id: string | null
  /** A JSON array of strings. */
  scopes: string
  installed_by: string
  installed_at: string
}

/** Whether an installation is of one workspace, or of every workspace of an organization. */
export type InstallationKind = 'workspace' | 'organization'

/** One role given to one subject. */
export interface RoleGrantRow {
  workspace_id: string
  role: GivenRole
  subject_kind: SubjectKind
  /** A user's or a group's id; `*` for everyone. */
  subject_id: string
  granted_by: string
  granted_at: string
  ends_at: string | null
}

/** One setting of a workspace. */
export interface SettingRow {
  workspace_id: string
  key: string
  /** JSON. */
  value: string
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
  /** Random, part of the hash, so that the content of an erased row cannot be guessed from it. Null in older rows. */
  salt: string | null
  /** The proof that the row was erased, sealed for exactly this row. */
  sealed_erasure: string | null
}

/** Both ends of a workspace's audit log, sealed for exactly this row. The one of no workspace counts the others. */
export interface AuditChainRow {
  workspace_id: string
  sealed_head: string
}

/** A certificate order. `version` counts its steps; a change must name the version that it read. */
export interface CertOrderRow {
  id: string
  workspace_id: string
  enterprise_id: string | null
  number: number
  environment: Environment
  state: OrderState
  version: number
  requester_id: string
  /** The certificate that the order is about, or that it created. */
  certificate_id: string | null
  /** SHA-256 of the exact request body, base64url. */
  body_hash: string
  /** SHA-256 of the request's public key, base64url; null where it is not known. */
  key_hash: string | null
  /** JSON, sealed for exactly this row. */
  sealed_content: string
  created_at: string
  updated_at: string
  /** When an expiry or a reminder is due. */
  wake_at: string | null
  /** A JSON array: its cards in Slack. */
  cards: string
}

/** Two states; the second may follow the first. */
export interface StateMoveRow {
  from_state: string
  to_state: string
}

/** One step of an order. Rows are added and never changed. */
export interface CertOrderEventRow {
  order_id: string
  /** The order's version that the step led to. */
  version: number
  at: string
  /** Null when no person took the step. */
  user_id: string | null
  kind: string
  /** The reference of the act that took the step; null without an act, and in rows older than this column. */
  reference: string | null
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
  /** When it was destroyed because another one had replaced it; null where its workspace was forgotten. Not in older keys files. */
  dropped_at?: string | null | undefined
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
}

/** A migration that has run. */
export interface MigrationRow {
  name: string
  applied_at: string
}

/** Rows as both databases return them: times are ISO text in UTC, flags 0 or 1. */
export interface Schema extends WatchTables, ThreatTables {
  connection: ConnectionRow
  ephemeral_state: EphemeralStateRow
  idempotency_key: IdempotencyKeyRow
  channel: ChannelRow
  installation: InstallationRow
  role_grant: RoleGrantRow
  setting: SettingRow
  audit_entry: AuditEntryRow
  audit_chain: AuditChainRow
  cert_order: CertOrderRow
  cert_order_event: CertOrderEventRow
  cert_order_move: StateMoveRow
  threat_case_move: StateMoveRow
  work: WorkRow
  work_step: WorkStepRow
  key_check: KeyCheckRow
  workspace_key: WorkspaceKeyRow
  post_attempt: PostAttemptRow
  process: ProcessRow
  migration: MigrationRow
}
