import { runInTurn } from '@signalman/durable'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  CALL,
  CARD_OUTAGE,
  CARDS,
  DIGEST,
  MAINTENANCE,
  MUTE,
  OBSERVED,
  OUTAGES,
  PACE,
  POLL,
  STATES,
  TRANSITIONS,
  WATCH,
} from './columns.ts'

/** Makes the tables whose columns columns.ts declares, for the first migration. */
export const makeWatchTables = (db: Kysely<unknown>): Promise<void> =>
  runInTurn(db, [...WATCHES, ...POLLS, ...OF_CHECKS, ...OF_CARDS])

const made = (
  name: string,
  { sql: columns }: { readonly sql: RawBuilder<unknown> },
  ...constraints: readonly RawBuilder<unknown>[]
): RawBuilder<unknown> => sql`create table ${sql.table(name)} (${sql.join([columns, ...constraints])})`

/** The same for a table whose rows belong to one environment of a workspace. */
const ofEnvironment = (...[name, columns, ...constraints]: Parameters<typeof made>): RawBuilder<unknown> =>
  made(
    name,
    columns,
    sql`constraint ${sql.id(`${name}_environment`)} check (environment in ('production', 'ote'))`,
    ...constraints,
  )

const BY_ID = sql`primary key (id)`

const WATCHES = [
  ofEnvironment(
    'watch',
    WATCH,
    BY_ID,
    sql`constraint watch_after check (after_bad_polls between 1 and 5)`,
    sql`constraint watch_notify check (notify in ('once', 'every'))`,
  ),
  sql`create index watch_by_channel on watch (workspace_id, channel_id, environment)`,
  ofEnvironment('watch_mute', MUTE, BY_ID),
  sql`create index watch_mute_by_channel on watch_mute (workspace_id, channel_id)`,
  ofEnvironment(
    'watch_maintenance',
    MAINTENANCE,
    BY_ID,
    sql`constraint watch_maintenance_state check (state in ('planned', 'announced', 'running', 'over'))`,
  ),
  sql`create index watch_maintenance_by_end on watch_maintenance (workspace_id, environment, to_at)`,
  sql`create unique index watch_maintenance_open on watch_maintenance (workspace_id, plan_id) where state <> 'over'`,
  sql`create index watch_maintenance_to on watch_maintenance (to_at)`,
  ofEnvironment(
    'watch_digest',
    DIGEST,
    sql`constraint watch_digest_key primary key (workspace_id, channel_id, environment)`,
  ),
]

const POLLS = [
  ofEnvironment('watch_poll', POLL, sql`constraint watch_poll_key primary key (workspace_id, environment)`),
  sql`create index watch_poll_due on watch_poll (poll_group, due_at)`,
  ofEnvironment(
    'watch_observed',
    OBSERVED,
    sql`constraint watch_observed_key primary key (workspace_id, environment, from_at)`,
  ),
  sql`create index watch_observed_to on watch_observed (to_at)`,
]

const OF_CHECKS = [
  ofEnvironment('watch_outage', OUTAGES, BY_ID),
  sql`create index watch_outage_by_check on watch_outage (workspace_id, environment, uuid, started_at)`,
  sql`create index watch_outage_by_start on watch_outage (workspace_id, environment, started_at)`,
  sql`create index watch_outage_by_end on watch_outage (ended_at)`,
  ofEnvironment(
    'watch_state',
    STATES,
    sql`constraint watch_state_key primary key (workspace_id, environment, uuid, status)`,
    sql`constraint watch_state_phase check (phase in ('bad', 'good'))`,
  ),
  ofEnvironment(
    'watch_transition',
    TRANSITIONS,
    sql`constraint watch_transition_key primary key (outage_id, to_state)`,
  ),
  sql`create index watch_transition_by_time on watch_transition (workspace_id, environment, at)`,
  sql`create index watch_transition_by_check on watch_transition (workspace_id, environment, uuid, at)`,
  sql`create index watch_transition_at on watch_transition (at)`,
]

const OF_CARDS = [
  ofEnvironment('watch_card', CARDS, BY_ID),
  sql`create index watch_card_by_channel on watch_card (workspace_id, channel_id, environment, closed_at)`,
  sql`create index watch_card_untold on watch_card (workspace_id, channel_id)
    where shown_version < version or details_version < version`,
  sql`create index watch_card_closed on watch_card (closed_at)`,
  made(
    'watch_card_outage',
    CARD_OUTAGE,
    sql`foreign key (card_id) references watch_card (id) on delete cascade`,
    sql`foreign key (outage_id) references watch_outage (id) on delete cascade`,
    sql`constraint watch_card_outage_key primary key (card_id, outage_id)`,
  ),
  made(
    'watch_call',
    CALL,
    sql`foreign key (card_id) references watch_card (id) on delete cascade`,
    sql`constraint watch_call_key primary key (card_id, after_ms)`,
  ),
  sql`create index watch_card_outage_by_outage on watch_card_outage (outage_id)`,
  // How much may be sent where, and when; the row without a channel is the workspace's own.
  made('watch_pace', PACE, sql`constraint watch_pace_key primary key (workspace_id, channel_id)`),
]
