import { type Table, table } from '@signalman/durable'
import { DAY_MS, MINUTE_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import { type CaseState, caseMoves } from '../cases/case-steps.ts'

/** The salt of a workspace's digests, sealed for exactly this row. */
interface ThreatSaltRow {
  workspace_id: string
  sealed_salt: string
}

/** A threat event that a workspace has read; `sealed_about` is JSON, sealed for exactly this row. */
interface ThreatSeenRow {
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
interface ThreatTraitRow {
  seen_id: string
  trait: string
  workspace_id: string
  read_at: string
}

/** The hash of an exported threat event's newest content, and since when it is the newest. */
interface ThreatVersionRow {
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

/** The newest card of a threat event in one channel. */
interface ThreatCardRow {
  workspace_id: string
  environment: Environment
  event_id: string
  channel_id: string
  message_ts: string
  /** The thread that the card is a reply in. */
  thread_ts: string | null
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
interface ThreatTables {
  threat_salt: ThreatSaltRow
  threat_seen: ThreatSeenRow
  threat_trait: ThreatTraitRow
  threat_version: ThreatVersionRow
  threat_case: ThreatCaseRow
  threat_card: ThreatCardRow
  takedown_watch: TakedownWatchRow
}

declare module '@signalman/durable/schema' {
  interface Schema extends ThreatTables {
    threat_case_move: StateMoveRow
  }
}

/** A reservation older than this has expired: its process died. */
export const RESERVED_MS = 15 * MINUTE_MS

/** The periods: a year in which the same domain may come back; three after which nobody has touched it, and importers have let it expire. */
export const THREAT_TABLES: readonly Table[] = [
  table('threat_salt', {
    row: "what a workspace's digests are salted with, sealed",
    bound: 'one for each workspace',
    key: ['workspace_id'],
    sealed: { sealed_salt: {} },
  }),
  table('threat_seen', {
    row: 'a threat event that was read, sealed',
    bound: 'swept after 90 days, or those that an admin has set (`/threat memory`)',
    key: ['id'],
    sealed: { sealed_about: { named: ['workspace_id', 'id'] } },
  }),
  table('threat_trait', {
    row: 'a digest of something that an event has in common with others',
    bound: 'swept with the event that was read',
    partOf: { table: 'threat_seen', column: 'seen_id' },
  }),
  table('threat_version', {
    row: 'since when an exported event is as it is',
    bound: 'swept three years after its last export',
    swept: [{ at: 'exported_at', afterMs: 1095 * DAY_MS }],
  }),
  table('threat_case', {
    row: 'what was done about a threat event, sealed',
    bound: 'swept a year after it was closed, or three years after its last step',
    swept: [
      { at: 'changed_at', afterMs: 365 * DAY_MS, only: "state in ('down', 'false-positive')" },
      { at: 'changed_at', afterMs: 1095 * DAY_MS, only: "state in ('open', 'taken', 'takedown-sent')" },
    ],
    key: ['id'],
    sealed: { sealed_about: { named: ['workspace_id', 'id'] } },
  }),
  table('threat_case_move', {
    row: 'a step that a case may take',
    bound: 'fixed: the table of states',
    isOfNoWorkspace: true,
    moves: caseMoves,
  }),
  table('threat_card', {
    row: 'the newest card of an event in a channel that it was shared in',
    bound: 'swept after 90 days',
    swept: [{ at: 'shared_at', afterMs: 90 * DAY_MS }],
  }),
  table('takedown_watch', {
    row: 'a health check that waits for something to be down',
    bound: 'full at 50 in a workspace; one that never got its check is swept after 15 minutes',
    swept: [{ at: 'made_at', afterMs: RESERVED_MS, only: "check_uuid = ''" }],
    key: ['id'],
    sealed: { sealed_state: { named: ['workspace_id', 'id'] } },
  }),
]
