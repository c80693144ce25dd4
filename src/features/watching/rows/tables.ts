import { type RowsOf, table } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { RETENTION_DAYS } from '../rules/watch.ts'
import {
  ALERTS,
  CALL,
  CARD_OUTAGE,
  CARDS,
  DIGEST,
  ESCALATIONS,
  OBSERVED,
  OUTAGES,
  PACE,
  POLL,
  SILENCE,
  WATCH,
} from './columns.ts'

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof WATCH_TABLES> {}
}

const RETENTION_MS = RETENTION_DAYS * DAY_MS
/** Outages that aren't on a card. Old cards are deleted before old outages. */
const ON_NO_CARD = 'not exists (select 1 from watch_card_outage c where c.outage_id = watch_outage.id)'

export const WATCH_TABLES = [
  table('watch', {
    columns: WATCH,
    key: ['id'],
    constraints: ['constraint watch_after check (after_bad_polls between 1 and 5)'],
    indexes: { by_channel: '(workspace_id, channel_id, environment)' },
    row: 'what a channel watches',
    bound: 'at most 1,000 in a workspace',
  }),
  table('watch_poll', {
    columns: POLL,
    key: ['workspace_id', 'environment'],
    indexes: { by_group: '(poll_group)' },
    isRewritten: true,
    row: 'how far polling has progressed',
    bound: 'one for each environment of a workspace in which something is watched',
  }),
  table('watch_silence', {
    columns: SILENCE,
    key: ['id'],
    indexes: { by_scope: '(workspace_id, environment, to_at)', by_end: '(to_at)' },
    uniqueIndexes: {
      open: "(workspace_id, plan_id) where state <> 'over'",
      open_mute:
        "(workspace_id, environment, channel_id, subject_key) where kind = 'mute' and state <> 'over'",
    },
    row: 'a mute or a maintenance window',
    bound: 'at most 1,000 in a workspace, not counting ended ones; deleted 90 days after its end',
    swept: [{ at: 'to_at', afterMs: RETENTION_MS, only: "state = 'over'" }],
  }),
  table('watch_digest', {
    columns: DIGEST,
    key: ['workspace_id', 'channel_id', 'environment'],
    row: "a channel's daily summary",
    bound: 'one for each channel and environment',
  }),
  table('watch_card', {
    columns: CARDS,
    key: ['id'],
    indexes: {
      by_channel: '(workspace_id, channel_id, environment, closed_at)',
      untold: '(workspace_id, channel_id) where shown_version < version or details_version < version',
      closed: '(closed_at)',
    },
    row: 'a message about an outage',
    bound: 'deleted 90 days after it was closed',
    swept: [{ at: 'closed_at', afterMs: RETENTION_MS }],
  }),
  table('watch_outage', {
    columns: OUTAGES,
    key: ['id'],
    constraints: ['constraint watch_phase check ((phase is null) = (ended_at is not null))'],
    indexes: {
      by_check: '(workspace_id, environment, uuid, started_at)',
      by_start: '(workspace_id, environment, started_at)',
      by_end: '(ended_at)',
    },
    uniqueIndexes: { open: '(workspace_id, environment, uuid, status) where ended_at is null' },
    row: 'a period in which a check had a watched status',
    bound: 'deleted 90 days after its end, if no message reports it',
    swept: [{ at: 'ended_at', afterMs: RETENTION_MS, only: ON_NO_CARD }],
  }),
  table('watch_card_outage', {
    columns: CARD_OUTAGE,
    key: ['card_id', 'outage_id'],
    constraints: ['foreign key (outage_id) references watch_outage (id) on delete cascade'],
    indexes: { by_outage: '(outage_id)' },
    row: 'which outages a message reports',
    bound: 'deleted with the outage or the message',
    owner: '(select c.workspace_id from watch_card c where c.id = watch_card_outage.card_id)',
    partOf: { table: 'watch_card', column: 'card_id' },
  }),
  table('watch_alert', {
    columns: ALERTS,
    key: ['outage_id', 'channel_id'],
    constraints: ['foreign key (outage_id) references watch_outage (id) on delete cascade'],
    indexes: {
      live: '(workspace_id, environment, channel_id) where removed_at is null',
      by_end: '(workspace_id, environment, removed_at)',
      by_card: '(card_id)',
    },
    row: 'an outage in a channel, and the message that lists it',
    bound: 'deleted with its outage',
  }),
  table('watch_escalation', {
    columns: ESCALATIONS,
    key: ['outage_id', 'watch_id'],
    constraints: ['foreign key (outage_id) references watch_outage (id) on delete cascade'],
    indexes: { by_channel: '(workspace_id, environment, channel_id)' },
    row: 'how far a watch has escalated an outage',
    bound: 'one for each outage and each watch with escalation; deleted with its outage',
  }),
  table('watch_call', {
    columns: CALL,
    key: ['id'],
    indexes: { by_card: '(card_id)' },
    row: 'people to page, or already paged, about outages',
    bound: 'three for each outage and watch; deleted with the message',
    partOf: { table: 'watch_card', column: 'card_id' },
  }),
  table('watch_observed', {
    columns: OBSERVED,
    key: ['workspace_id', 'environment', 'from_at'],
    isRewritten: true,
    row: 'a period in which Signalman polled the service without a gap',
    bound: 'deleted after 90 days',
    swept: [{ at: 'to_at', afterMs: RETENTION_MS }],
  }),
  table('watch_pace', {
    columns: PACE,
    key: ['workspace_id', 'channel_id'],
    row: 'when the next message may be sent',
    bound:
      'one for each workspace and for each channel with notifications; those for channels are deleted after 90 days',
    swept: [{ at: 'next_at', afterMs: RETENTION_MS, only: "channel_id <> ''" }],
  }),
] as const
