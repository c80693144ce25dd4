import { type Kysely, sql } from 'kysely'

/** Watching: who wants to be told what, what was seen, and what each channel was told of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await makeWatches(db)
  await makePolls(db)
  await makeOutages(db)
  await makeCards(db)
  await makePaces(db)
}

const ENVIRONMENTS = sql`environment in ('production', 'ote')`

/** A table whose rows belong to one environment of a workspace. */
const tableOf = (db: Kysely<unknown>, name: string) =>
  db.schema
    .createTable(name)
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('environment', 'text', (column) => column.notNull())
    .addCheckConstraint(`${name}_environment`, ENVIRONMENTS)

async function makeWatches(db: Kysely<unknown>): Promise<void> {
  await tableOf(db, 'watch')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('enterprise_id', 'text')
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('filter', 'text', (column) => column.notNull())
    .addColumn('after_bad_polls', 'integer', (column) => column.notNull())
    .addColumn('notify', 'text', (column) => column.notNull())
    .addColumn('reminder_hours', 'integer', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('made_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .addColumn('baseline_poll', 'integer', (column) => column.notNull())
    .addColumn('matched', 'integer')
    .addColumn('paused_at', 'text')
    .addColumn('pause_reason', 'text')
    .addCheckConstraint('watch_after', sql`after_bad_polls between 1 and 5`)
    .addCheckConstraint('watch_notify', sql`notify in ('once', 'every')`)
    .execute()
  await db.schema
    .createIndex('watch_by_channel')
    .on('watch')
    .columns(['workspace_id', 'channel_id', 'environment'])
    .execute()
  await tableOf(db, 'watch_mute')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('enterprise_id', 'text')
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('about', 'text', (column) => column.notNull())
    .addColumn('until_at', 'text')
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('made_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('watch_mute_by_channel')
    .on('watch_mute')
    .columns(['workspace_id', 'channel_id'])
    .execute()
  await tableOf(db, 'watch_digest')
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('enterprise_id', 'text')
    .addColumn('hour', 'integer', (column) => column.notNull())
    .addColumn('time_zone', 'text', (column) => column.notNull())
    .addColumn('made_by', 'text', (column) => column.notNull())
    .addColumn('since', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('watch_digest_key', ['workspace_id', 'channel_id', 'environment'])
    .execute()
}

async function makePolls(db: Kysely<unknown>): Promise<void> {
  await tableOf(db, 'watch_poll')
    .addColumn('poll_group', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('polls', 'integer', (column) => column.notNull())
    .addColumn('statuses', 'text', (column) => column.notNull())
    .addColumn('last_ok_at', 'text')
    .addColumn('full_at', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('failure', 'text')
    .addColumn('is_blind', 'integer', (column) => column.notNull())
    .addColumn('totals', 'text')
    .addPrimaryKeyConstraint('watch_poll_key', ['workspace_id', 'environment'])
    .execute()
  await db.schema.createIndex('watch_poll_due').on('watch_poll').columns(['poll_group', 'due_at']).execute()
  await tableOf(db, 'watch_observed')
    .addColumn('from_at', 'text', (column) => column.notNull())
    .addColumn('to_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('watch_observed_key', ['workspace_id', 'environment', 'from_at'])
    .execute()
  await db.schema.createIndex('watch_observed_to').on('watch_observed').column('to_at').execute()
}

async function makeOutages(db: Kysely<unknown>): Promise<void> {
  await tableOf(db, 'watch_outage')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('ending', 'text')
    .addColumn('is_baseline', 'integer', (column) => column.notNull())
    .addColumn('bad_polls', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('watch_outage_by_check')
    .on('watch_outage')
    .columns(['workspace_id', 'environment', 'uuid', 'started_at'])
    .execute()
  await db.schema
    .createIndex('watch_outage_by_start')
    .on('watch_outage')
    .columns(['workspace_id', 'environment', 'started_at'])
    .execute()
  await db.schema.createIndex('watch_outage_by_end').on('watch_outage').column('ended_at').execute()
  await tableOf(db, 'watch_state')
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('phase_poll', 'integer', (column) => column.notNull())
    .addColumn('phase_at', 'text', (column) => column.notNull())
    .addColumn('outage_id', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('watch_state_key', ['workspace_id', 'environment', 'uuid', 'status'])
    .addCheckConstraint('watch_state_phase', sql`phase in ('bad', 'good')`)
    .execute()
  await tableOf(db, 'watch_transition')
    .addColumn('outage_id', 'text', (column) => column.notNull())
    .addColumn('to_state', 'text', (column) => column.notNull())
    .addColumn('uuid', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .addColumn('bad_polls', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('watch_transition_key', ['outage_id', 'to_state'])
    .execute()
  await db.schema
    .createIndex('watch_transition_by_time')
    .on('watch_transition')
    .columns(['workspace_id', 'environment', 'at'])
    .execute()
  await db.schema
    .createIndex('watch_transition_by_check')
    .on('watch_transition')
    .columns(['workspace_id', 'environment', 'uuid', 'at'])
    .execute()
  await db.schema.createIndex('watch_transition_at').on('watch_transition').column('at').execute()
}

async function makeCards(db: Kysely<unknown>): Promise<void> {
  await tableOf(db, 'watch_card')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('enterprise_id', 'text')
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('meanwhile', 'text')
    .addColumn('opened_at', 'text', (column) => column.notNull())
    .addColumn('changed_at', 'text', (column) => column.notNull())
    .addColumn('closed_at', 'text')
    .addColumn('unwatched_at', 'text')
    .addColumn('acknowledged_by', 'text')
    .addColumn('acknowledged_at', 'text')
    .addColumn('remind_at', 'text')
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('shown_version', 'integer', (column) => column.notNull())
    .addColumn('shown_at', 'text')
    .addColumn('shown_kind', 'text')
    .addColumn('ts', 'text')
    .addColumn('details_ts', 'text')
    .addColumn('details_version', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('watch_card_by_channel')
    .on('watch_card')
    .columns(['workspace_id', 'channel_id', 'environment', 'closed_at'])
    .execute()
  await db.schema
    .createIndex('watch_card_untold')
    .on('watch_card')
    .columns(['workspace_id', 'channel_id'])
    .where(sql<boolean>`shown_version < version or details_version < version`)
    .execute()
  await db.schema.createIndex('watch_card_closed').on('watch_card').column('closed_at').execute()
  await db.schema
    .createTable('watch_card_outage')
    .addColumn('card_id', 'text', (column) =>
      column.notNull().references('watch_card.id').onDelete('cascade'),
    )
    .addColumn('outage_id', 'text', (column) =>
      column.notNull().references('watch_outage.id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('watch_card_outage_key', ['card_id', 'outage_id'])
    .execute()
  await db.schema
    .createIndex('watch_card_outage_by_outage')
    .on('watch_card_outage')
    .column('outage_id')
    .execute()
}

/** How much may be sent where, and when; the row without a channel is the workspace's own. */
async function makePaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('watch_pace')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('next_at', 'text')
    .addColumn('no_posts_before', 'text')
    .addColumn('no_edits_before', 'text')
    .addPrimaryKeyConstraint('watch_pace_key', ['workspace_id', 'channel_id'])
    .execute()
}
