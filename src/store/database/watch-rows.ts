import type { Environment } from '../../domain/environment.ts'
import type { CardKind } from '../../domain/watching/card.ts'
import type { OutageEnding, PollFailure } from '../../domain/watching/outage.ts'
import type { PauseReason, ReminderHours, WatchedStatus } from '../../domain/watching/watch.ts'

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
  /** JSON. */
  totals: string | null
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
  outage_id: string
  /** JSON. */
  facts: string
}

export interface WatchTransitionRow extends Scoped {
  outage_id: string
  to_state: 'down' | 'up' | 'deleted'
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
  /** When a post of unknown outcome was begun: of the card, or of the reply once the card is posted. */
  attempted_at: string | null
  /** The earliest time to look for it. */
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

export interface WatchTables {
  watch: WatchRow
  watch_mute: WatchMuteRow
  watch_digest: WatchDigestRow
  watch_poll: WatchPollRow
  watch_observed: WatchObservedRow
  watch_outage: WatchOutageRow
  watch_state: WatchStateRow
  watch_transition: WatchTransitionRow
  watch_card: WatchCardRow
  watch_card_outage: WatchCardOutageRow
  watch_pace: WatchPaceRow
}
