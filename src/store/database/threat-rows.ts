import type { Environment } from '../../domain/environment.ts'
import type { CaseState } from '../../domain/threat-case.ts'

/** The salt of a workspace's digests, sealed for exactly this row. */
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
  /** A digest, so that the same content is not written again. */
  content_hash: string
  read_at: string
}

/** A trait that an event may share with others, as a salted digest. */
export interface ThreatTraitRow {
  seen_id: string
  trait: string
  workspace_id: string
  read_at: string
}

/** The hash of an exported threat event's newest content, and since when it is the newest. */
export interface ThreatVersionRow {
  /** Workspace, environment, event and kind of export. */
  key: string
  workspace_id: string
  content_hash: string
  modified_at: string
  exported_at: string
}

/** The case of a threat event. `version` counts its steps; `sealed_about` is JSON, sealed for exactly this row. */
export interface ThreatCaseRow {
  id: string
  workspace_id: string
  enterprise_id: string | null
  environment: Environment
  event_id: string
  state: CaseState
  /** The person who has the case. */
  holder_id: string | null
  /** 0 for the worst. */
  severity: number
  version: number
  opened_at: string
  changed_at: string
  /** The place of its card; without a ts until it is posted. */
  channel_id: string | null
  message_ts: string | null
  /** The thread that the card is a reply in. */
  thread_ts: string | null
  /** The last step that the card shows, and the last one that the thread tells. */
  shown_version: number
  told_version: number
  sealed_about: string
}

/** The card of a threat event that was shared last. */
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
  /** The last step of the event's case that it shows. */
  shown_version: number
  shared_at: string
}

/** A watch for the takedown of a threat event's site; `sealed_state` is JSON, sealed for exactly this row. */
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
