/** The columns of rows that are read as JSON, where SQLite must be told each name. */
export const WATCH_COLUMNS = [
  'workspace_id',
  'environment',
  'enterprise_id',
  'channel_id',
  'id',
  'filter',
  'after_bad_polls',
  'notify',
  'reminder_hours',
  'owner_id',
  'made_at',
  'changed_at',
  'baseline_poll',
  'matched',
  'paused_at',
  'pause_reason',
] as const
export const MUTE_COLUMNS = [
  'workspace_id',
  'environment',
  'enterprise_id',
  'channel_id',
  'id',
  'about',
  'until_at',
  'by',
  'made_at',
] as const
const SEEN = ['workspace_id', 'environment', 'uuid', 'status', 'facts', 'bad_polls'] as const
export const TRANSITION_COLUMNS = [...SEEN, 'outage_id', 'to_state', 'at'] as const
export const OUTAGE_COLUMNS = [...SEEN, 'id', 'started_at', 'ended_at', 'ending', 'is_baseline'] as const
