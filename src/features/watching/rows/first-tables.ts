import { runInTurn } from '@signalman/durable'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Makes the tables that tables.ts declares, for the first migration. */
export const makeWatchTables = (db: Kysely<unknown>): Promise<void> =>
  runInTurn(db, [...WATCHES, ...POLLS, ...OUTAGES, ...CARDS])

/** The first columns of a table whose rows belong to one environment of a workspace. */
function ofEnvironment(table: string): RawBuilder<unknown> {
  return sql`workspace_id text not null,
    environment text not null constraint ${sql.id(`${table}_environment`)} check (environment in ('production', 'ote'))`
}

const WATCHES = [
  sql`create table watch (
    ${ofEnvironment('watch')},
    id text primary key,
    enterprise_id text,
    channel_id text not null,
    filter text not null,
    after_bad_polls integer not null,
    notify text not null,
    reminder_hours integer not null,
    escalation text,
    runbook text,
    owner_id text not null,
    made_at text not null,
    changed_at text not null,
    baseline_poll integer not null,
    matched integer,
    paused_at text,
    pause_reason text,
    constraint watch_after check (after_bad_polls between 1 and 5),
    constraint watch_notify check (notify in ('once', 'every'))
  )`,
  sql`create index watch_by_channel on watch (workspace_id, channel_id, environment)`,
  sql`create table watch_mute (
    ${ofEnvironment('watch_mute')},
    id text primary key,
    enterprise_id text,
    channel_id text not null,
    about text not null,
    until_at text,
    by text not null,
    made_at text not null
  )`,
  sql`create index watch_mute_by_channel on watch_mute (workspace_id, channel_id)`,
  sql`create table watch_maintenance (
    ${ofEnvironment('watch_maintenance')},
    id text primary key,
    plan_id text not null,
    enterprise_id text,
    channel_id text not null,
    about text not null,
    from_at text not null,
    to_at text not null,
    for_ms bigint not null,
    every text,
    time_zone text not null,
    first_shown text not null,
    because text not null,
    state text not null,
    owner_id text not null,
    owner_name text not null,
    made_at text not null,
    constraint watch_maintenance_state check (state in ('planned', 'announced', 'running', 'over'))
  )`,
  sql`create index watch_maintenance_by_end on watch_maintenance (workspace_id, environment, to_at)`,
  sql`create unique index watch_maintenance_open on watch_maintenance (workspace_id, plan_id) where state <> 'over'`,
  sql`create index watch_maintenance_to on watch_maintenance (to_at)`,
  sql`create table watch_digest (
    ${ofEnvironment('watch_digest')},
    channel_id text not null,
    enterprise_id text,
    hour integer not null,
    time_zone text not null,
    made_by text not null,
    since text not null,
    constraint watch_digest_key primary key (workspace_id, channel_id, environment)
  )`,
]

const POLLS = [
  sql`create table watch_poll (
    ${ofEnvironment('watch_poll')},
    poll_group integer not null,
    due_at text not null,
    polls integer not null,
    statuses text not null,
    last_ok_at text,
    full_at text,
    failing_since text,
    failure text,
    is_blind integer not null,
    total integer,
    states_mark text,
    constraint watch_poll_key primary key (workspace_id, environment)
  )`,
  sql`create index watch_poll_due on watch_poll (poll_group, due_at)`,
  sql`create table watch_observed (
    ${ofEnvironment('watch_observed')},
    from_at text not null,
    to_at text not null,
    constraint watch_observed_key primary key (workspace_id, environment, from_at)
  )`,
  sql`create index watch_observed_to on watch_observed (to_at)`,
]

const OUTAGES = [
  sql`create table watch_outage (
    ${ofEnvironment('watch_outage')},
    id text primary key,
    uuid text not null,
    status text not null,
    facts text not null,
    started_at text not null,
    ended_at text,
    ending text,
    is_baseline integer not null,
    bad_polls integer not null,
    first_look text,
    taken_by text,
    taken_at text
  )`,
  sql`create index watch_outage_by_check on watch_outage (workspace_id, environment, uuid, started_at)`,
  sql`create index watch_outage_by_start on watch_outage (workspace_id, environment, started_at)`,
  sql`create index watch_outage_by_end on watch_outage (ended_at)`,
  sql`create table watch_state (
    ${ofEnvironment('watch_state')},
    uuid text not null,
    status text not null,
    phase text not null,
    phase_poll integer not null,
    earlier_polls text not null,
    phase_at text not null,
    good_at text,
    outage_id text not null,
    facts text not null,
    constraint watch_state_key primary key (workspace_id, environment, uuid, status),
    constraint watch_state_phase check (phase in ('bad', 'good'))
  )`,
  sql`create table watch_transition (
    ${ofEnvironment('watch_transition')},
    outage_id text not null,
    to_state text not null,
    uuid text not null,
    status text not null,
    at text not null,
    facts text not null,
    bad_polls integer not null,
    constraint watch_transition_key primary key (outage_id, to_state)
  )`,
  sql`create index watch_transition_by_time on watch_transition (workspace_id, environment, at)`,
  sql`create index watch_transition_by_check on watch_transition (workspace_id, environment, uuid, at)`,
  sql`create index watch_transition_at on watch_transition (at)`,
]

const CARDS = [
  sql`create table watch_card (
    ${ofEnvironment('watch_card')},
    id text primary key,
    enterprise_id text,
    channel_id text not null,
    kind text not null,
    reason text,
    meanwhile text,
    period text,
    opened_at text not null,
    changed_at text not null,
    closed_at text,
    unwatched_at text,
    acknowledged_by text,
    acknowledged_name text,
    acknowledged_at text,
    remind_at text,
    maintenance_id text,
    version integer not null,
    shown_version integer not null,
    shown_at text,
    shown_kind text,
    ts text,
    details_ts text,
    details_version integer not null,
    look_at text
  )`,
  sql`create index watch_card_by_channel on watch_card (workspace_id, channel_id, environment, closed_at)`,
  sql`create index watch_card_untold on watch_card (workspace_id, channel_id)
    where shown_version < version or details_version < version`,
  sql`create index watch_card_held on watch_card (workspace_id, acknowledged_by)
    where acknowledged_by is not null and closed_at is null`,
  sql`create index watch_card_closed on watch_card (closed_at)`,
  sql`create table watch_card_outage (
    card_id text not null references watch_card (id) on delete cascade,
    outage_id text not null references watch_outage (id) on delete cascade,
    constraint watch_card_outage_key primary key (card_id, outage_id)
  )`,
  sql`create table watch_call (
    card_id text not null references watch_card (id) on delete cascade,
    after_ms integer not null,
    called_at text not null,
    told integer not null,
    call text not null,
    constraint watch_call_key primary key (card_id, after_ms)
  )`,
  sql`create index watch_card_outage_by_outage on watch_card_outage (outage_id)`,
  // How much may be sent where, and when; the row without a channel is the workspace's own.
  sql`create table watch_pace (
    workspace_id text not null,
    channel_id text not null,
    next_at text,
    no_posts_before text,
    no_edits_before text,
    constraint watch_pace_key primary key (workspace_id, channel_id)
  )`,
]
