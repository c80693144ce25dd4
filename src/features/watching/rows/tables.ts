import { type RowsOf, table } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { RETENTION_DAYS } from '../rules/watch.ts'
import { CHANNEL, CHANNEL_INCIDENT, INCIDENT, OBSERVED, POLL, POST, SILENCE, WATCH } from './columns.ts'

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof WATCH_TABLES> {}
}

const RETENTION_MS = RETENTION_DAYS * DAY_MS
/** Old messages are deleted before old incidents. */
const ON_NO_CARD = 'not exists (select 1 from incident_line l where l.incident_id = incident.id)'

export const WATCH_TABLES = [
  table('watch', {
    columns: WATCH,
    key: ['id'],
    constraints: ['constraint watch_after check (after_bad_polls between 1 and 5)'],
    indexes: { by_channel: '(workspace_id, channel_id, environment)' },
    row: 'what a channel watches',
    bound: 'at most 1,000 in a workspace',
  }),
  table('watch_channel', {
    since: '002-waits',
    columns: CHANNEL,
    key: ['workspace_id', 'channel_id'],
    row: 'why nothing can be posted in a channel that is watched, or that an admin agreed to post although others read it',
    bound: 'one for each channel that watches something',
  }),
  table('watch_poll', {
    columns: POLL,
    key: ['workspace_id', 'environment'],
    isRewritten: true,
    row: 'how far polling has progressed',
    bound: 'one for each environment of a workspace in which something is watched',
  }),
  table('watch_observed', {
    columns: OBSERVED,
    key: ['workspace_id', 'environment', 'from_at'],
    row: 'a past period in which Signalman polled the service without a gap',
    bound: 'deleted after 90 days',
    swept: [{ at: 'to_at', afterMs: RETENTION_MS }],
  }),
  table('watch_silence', {
    columns: SILENCE,
    key: ['id'],
    indexes: { by_scope: '(workspace_id, environment, ended_at)', by_end: '(to_at)', ended: '(ended_at)' },
    row: 'a mute or maintenance',
    bound: 'at most 1,000 in a workspace, not counting ended ones; deleted 90 days after its end',
    swept: [
      { at: 'to_at', afterMs: RETENTION_MS, only: 'every is null' },
      { at: 'ended_at', afterMs: RETENTION_MS },
    ],
  }),
  table('watch_post', {
    columns: POST,
    key: ['id'],
    indexes: {
      by_channel: '(workspace_id, channel_id, environment, closed_at)',
      unsent: '(workspace_id, channel_id) where shown_version < version',
      open: '(workspace_id, environment) where closed_at is null',
      closed: '(closed_at)',
    },
    row: 'a message about incidents',
    bound: 'deleted 90 days after everything on it was over',
    swept: [{ at: 'closed_at', afterMs: RETENTION_MS }],
  }),
  table('incident', {
    columns: INCIDENT,
    key: ['id'],
    indexes: {
      by_check: '(workspace_id, environment, uuid, opened_at)',
      by_start: '(workspace_id, environment, opened_at)',
      by_end: '(closed_at)',
    },
    uniqueIndexes: { open: '(workspace_id, environment, uuid) where closed_at is null' },
    row: 'a health check that is or was down, or an environment whose checks could not be seen',
    bound: 'deleted 90 days after it was closed, if no message lists it',
    swept: [{ at: 'closed_at', afterMs: RETENTION_MS, only: ON_NO_CARD }],
  }),
  table('incident_line', {
    columns: CHANNEL_INCIDENT,
    key: ['incident_id', 'channel_id'],
    constraints: ['foreign key (incident_id) references incident (id) on delete cascade'],
    indexes: { by_card: '(card_id)' },
    row: 'an incident in a channel: the message that lists it, and when Signalman posted it',
    bound: 'one for each incident and channel; deleted with either',
    partOf: { table: 'watch_post', column: 'card_id' },
  }),
] as const
