import { type RowOf, type Table, table } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { WATCHING_KEPT_DAYS } from '../rules/watch.ts'
import type {
  CALL,
  CARD_OUTAGE,
  DIGEST,
  MAINTENANCE,
  MUTE,
  OBSERVED,
  OUTAGES,
  PACE,
  STATES,
  TRANSITIONS,
  WATCH,
  WatchCardRow,
  WatchPollRow,
} from './columns.ts'

interface WatchTables {
  watch: RowOf<typeof WATCH.columns>
  watch_mute: RowOf<typeof MUTE.columns>
  watch_digest: RowOf<typeof DIGEST.columns>
  watch_maintenance: RowOf<typeof MAINTENANCE.columns>
  watch_poll: WatchPollRow
  watch_observed: RowOf<typeof OBSERVED.columns>
  watch_outage: RowOf<typeof OUTAGES.columns>
  watch_state: RowOf<typeof STATES.columns>
  watch_transition: RowOf<typeof TRANSITIONS.columns>
  watch_card: WatchCardRow
  watch_card_outage: RowOf<typeof CARD_OUTAGE.columns>
  watch_call: RowOf<typeof CALL.columns>
  watch_pace: RowOf<typeof PACE.columns>
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
