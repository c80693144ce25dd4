import type { Environment } from '../../domain/environment.ts'
import type { CaseState } from '../../domain/threat-case.ts'

/** What a workspace's digests are salted with, sealed for exactly this row. */
export interface ThreatSaltRow {
  workspace_id: string
  sealed_salt: string
}

/** A threat event that a workspace has read; `sealed_about` is JSON, sealed for exactly this row. */
export interface ThreatSeenRow {
  id: string
  workspace_id: string
  environment: Environment
  event_id: string
  sealed_about: string
  /** A digest: the same content is not written again. */
  content_hash: string
  read_at: string
}

/** Something that an event has in common with others, as a salted digest. */
export interface ThreatTraitRow {
  seen_id: string
  trait: string
  workspace_id: string
  read_at: string
}

/** The newest content of an exported threat event, as a hash, and since when it is that. */
export interface ThreatVersionRow {
  /** Workspace, environment, event and kind of export. */
  key: string
  workspace_id: string
  content_hash: string
  modified_at: string
  exported_at: string
}

/** What is done about a threat event. `version` counts its steps; `sealed_about` is JSON, sealed for exactly this row. */
export interface ThreatCaseRow {
  id: string
  workspace_id: string
  enterprise_id: string | null
  environment: Environment
  event_id: string
  state: CaseState
  /** Who has it. */
  holder_id: string | null
  /** 0 for the worst. */
  severity: number
  version: number
  opened_at: string
  changed_at: string
  /** Where its card stands; without a ts where it is still to be posted. */
  channel_id: string | null
  message_ts: string | null
  /** The thread that the card itself stands in. */
  thread_ts: string | null
  /** Up to which step the card shows it, and its thread tells of it. */
  shown_version: number
  told_version: number
  sealed_about: string
}

/** Where the card of a threat event was shared last. */
export interface ThreatShareRow {
  workspace_id: string
  environment: Environment
  event_id: string
  channel_id: string
  message_ts: string
  thread_ts: string | null
  shared_at: string
}

/** The newest card of a threat event in one channel. */
export interface ThreatCardRow {
  workspace_id: string
  environment: Environment
  event_id: string
  channel_id: string
  message_ts: string
  /** Up to which step of the event's case it shows it. */
  shown_version: number
  shared_at: string
}

/** A health check that tells when what a threat event is about is down; `sealed_state` is JSON, sealed for exactly this row. */
export interface TakedownWatchRow {
  id: string
  workspace_id: string
  enterprise_id: string | null
  environment: Environment
  event_id: string
  check_uuid: string
  made_at: string
  sealed_state: string
}

/** The tables of threat events. */
export interface ThreatTables {
  threat_salt: ThreatSaltRow
  threat_seen: ThreatSeenRow
  threat_trait: ThreatTraitRow
  threat_version: ThreatVersionRow
  threat_case: ThreatCaseRow
  threat_share: ThreatShareRow
  threat_card: ThreatCardRow
  takedown_watch: TakedownWatchRow
}
