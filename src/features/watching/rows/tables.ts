import { type Table, table } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { OutageEnding, PollFailure, WatchedStatus } from '../../../domain/outages/outage.ts'
import type { Every, MaintenanceState } from '../maintenance/rules.ts'
import type { CardKind } from '../rules/card.ts'
import { type PauseReason, type ReminderHours, WATCHING_KEPT_DAYS } from '../rules/watch.ts'

/** Every row of watching belongs to one environment of a workspace. */
interface Scoped {
  workspace_id: string
  environment: Environment
}

interface InChannel extends Scoped {
  enterprise_id: string | null
  channel_id: string
}

export interface WatchRow extends InChannel {
  id: string
  /** JSON. */
  filter: string
  after_bad_polls: number
  notify: 'once' | 'every'
  reminder_hours: ReminderHours
  /** JSON. */
  escalation: string | null
  runbook: string | null
  owner_id: string
  made_at: string
  changed_at: string
  baseline_poll: number
  matched: number | null
  paused_at: string | null
  pause_reason: PauseReason | null
}

export interface WatchMuteRow extends InChannel {
  id: string
  /** JSON. */
  about: string
  until_at: string | null
  by: string
  made_at: string
}

/** One window of planned maintenance; without a channel it is for all of the workspace. */
export interface WatchMaintenanceRow extends InChannel {
  id: string
  /** The same for every window of a recurring plan. */
  plan_id: string
  /** JSON. */
  about: string
  from_at: string
  to_at: string
  for_ms: number
  every: Every | null
  time_zone: string
  /** JSON: what a clock showed when the first window began. */
  first_shown: string
  because: string
  state: MaintenanceState
  owner_id: string
  owner_name: string
  made_at: string
}

export interface WatchDigestRow extends InChannel {
  hour: number
  time_zone: string
  made_by: string
  since: string
}

/** The polling of one environment; exists while something in it is watched. */
export interface WatchPollRow extends Scoped {
  /** One process at a time polls a group. */
  poll_group: number
  due_at: string
  /** The number of successful polls. */
  polls: number
  /** A JSON array: the statuses whose baseline is known. */
  statuses: string
  last_ok_at: string | null
  /** When all checks were listed last. */
  full_at: string | null
  failing_since: string | null
  failure: PollFailure | null
  is_blind: number
  /** How many checks the last poll found. */
  total: number | null
  /** A new value after each write of states; null before the first. */
  states_mark: string | null
}

export interface WatchObservedRow extends Scoped {
  from_at: string
  to_at: string
}

export interface WatchOutageRow extends Scoped {
  id: string
  uuid: string
  status: WatchedStatus
  /** JSON: the check as last seen. */
  facts: string
  started_at: string
  ended_at: string | null
  ending: OutageEnding | null
  is_baseline: number
  bad_polls: number
  /** JSON: what was seen of it from here. */
  first_look: string | null
  taken_by: string | null
  taken_at: string | null
}

/** A check that is in a watched status, or was until the last poll. */
export interface WatchStateRow extends Scoped {
  uuid: string
  status: WatchedStatus
  phase: 'bad' | 'good'
  /** The poll with which the phase began: written once, not with every poll. */
  phase_poll: number
  /** A JSON array: its first bad polls, before one that could not see it. */
  earlier_polls: string
  phase_at: string
  /** In a bad phase, when the good one before it began. */
  good_at: string | null
  outage_id: string
  /** JSON. */
  facts: string
}

export interface WatchTransitionRow extends Scoped {
  outage_id: string
  to_state: 'down' | 'up' | 'installing' | 'deleted'
  uuid: string
  status: WatchedStatus
  at: string
  /** JSON. */
  facts: string
  bad_polls: number
}

/** One message of a channel. It is behind while `shown_version` is below `version`. */
export interface WatchCardRow extends InChannel {
  id: string
  kind: CardKind
  reason: string | null
  /** JSON. */
  meanwhile: string | null
  /** JSON. */
  period: string | null
  opened_at: string
  changed_at: string
  closed_at: string | null
  unwatched_at: string | null
  acknowledged_by: string | null
  acknowledged_name: string | null
  acknowledged_at: string | null
  remind_at: string | null
  /** The window that it tells of. */
  maintenance_id: string | null
  version: number
  shown_version: number
  shown_at: string | null
  /** The kind of card that its message shows. */
  shown_kind: CardKind | null
  /** Its message; null until it is posted, and after it was deleted. */
  ts: string | null
  /** The reply in its thread. */
  details_ts: string | null
  details_version: number
  /** The earliest time to look for a post of unknown outcome: of the card, or of the reply once the card is posted. */
  look_at: string | null
}

export interface WatchCardOutageRow {
  card_id: string
  outage_id: string
}

export interface WatchPaceRow {
  workspace_id: string
  /** Empty for the workspace as a whole. */
  channel_id: string
  /** For a channel: when the next message may be sent. For a workspace: until when its share is used up. */
  next_at: string | null
  /** The end of a pause that Slack asked for. */
  no_posts_before: string | null
  no_edits_before: string | null
}

/** Who was called about a card that nobody was on. */
export interface WatchCallRow {
  card_id: string
  after_ms: number
  called_at: string
  told: number
  /** JSON. */
  call: string
}

interface WatchTables {
  watch: WatchRow
  watch_mute: WatchMuteRow
  watch_digest: WatchDigestRow
  watch_maintenance: WatchMaintenanceRow
  watch_poll: WatchPollRow
  watch_observed: WatchObservedRow
  watch_outage: WatchOutageRow
  watch_state: WatchStateRow
  watch_transition: WatchTransitionRow
  watch_card: WatchCardRow
  watch_card_outage: WatchCardOutageRow
  watch_call: WatchCallRow
  watch_pace: WatchPaceRow
}

declare module '@signalman/durable/schema' {
  interface Schema extends WatchTables {}
}

const KEPT_MS = WATCHING_KEPT_DAYS * DAY_MS
/** Outages that no card tells of any more: cards are swept before them. */
const UNTOLD = 'not exists (select 1 from watch_card_outage c where c.outage_id = watch_outage.id)'

export const WATCH_TABLES: readonly Table[] = [
  table('watch', { row: 'what a channel watches', bound: 'full at 1,000 in a workspace' }),
  table('watch_poll', {
    row: 'how far the polls have come',
    bound: 'one for each environment of a workspace in which something is watched',
  }),
  table('watch_mute', {
    row: 'what is muted in a channel',
    bound: 'full at 1,000 in a workspace; goes when its time is over',
  }),
  table('watch_maintenance', {
    row: 'a time of planned maintenance',
    bound: 'full at 500 plans in a workspace; swept 90 days after its end',
    swept: [{ at: 'to_at', afterMs: KEPT_MS, only: "state = 'over'" }],
  }),
  table('watch_digest', { row: "a channel's daily summary", bound: 'one for each channel and environment' }),
  table('watch_state', {
    row: 'a check that is not well',
    bound: 'one for each such check and status; goes when it is well again',
  }),
  table('watch_card', {
    row: 'a message about an outage',
    bound: 'swept 90 days after it was closed',
    swept: [{ at: 'closed_at', afterMs: KEPT_MS }],
  }),
  table('watch_card_outage', {
    row: 'which outages a message tells of',
    bound: 'swept with either',
    owner: '(select c.workspace_id from watch_card c where c.id = watch_card_outage.card_id)',
    partOf: { table: 'watch_card', column: 'card_id' },
  }),
  table('watch_call', {
    row: 'who was called about a message that nobody was on',
    bound: 'three for each message; swept with it',
    owner: '(select c.workspace_id from watch_card c where c.id = watch_call.card_id)',
    partOf: { table: 'watch_card', column: 'card_id' },
  }),
  table('watch_outage', {
    row: "a check's time in a watched status",
    bound: 'swept 90 days after its end, once no message tells of it',
    swept: [{ at: 'ended_at', afterMs: KEPT_MS, only: UNTOLD }],
  }),
  table('watch_transition', {
    row: "a change of a check's status",
    bound: 'swept after 90 days',
    swept: [{ at: 'at', afterMs: KEPT_MS }],
  }),
  table('watch_observed', {
    row: 'a time in which the service was looked at',
    bound: 'swept after 90 days',
    swept: [{ at: 'to_at', afterMs: KEPT_MS }],
  }),
  table('watch_pace', {
    row: 'when the next message may be sent',
    bound: 'one for each workspace, and each channel that was told something, which is swept after 90 days',
    swept: [{ at: 'next_at', afterMs: KEPT_MS, only: "channel_id <> ''" }],
  }),
]
