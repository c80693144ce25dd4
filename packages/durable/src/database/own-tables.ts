import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { columns, counted, date, maybe, number, oneOf, serial, text } from './columns.ts'
import { table } from './declared-table.ts'

/** JSON that outlives a request, sealed for exactly this row. */
const EPHEMERAL_STATE = columns({
  id: text(),
  workspaceId: text(),
  sealedBody: text(),
  expiresAt: text(),
})

const SETTING = columns({
  workspaceId: text(),
  key: text(),
  /** JSON. */
  value: text(),
})

/** A row of a workspace's audit log. Rows are added and expire, and never change, except when a person is erased from them. */
export const AUDIT_ENTRY = columns({
  sequence: serial(),
  workspaceId: text(),
  at: text(),
  userId: text(),
  teamId: maybe(text()),
  channelId: maybe(text()),
  verb: text(),
  object: maybe(text()),
  /** JSON, like `after`. */
  before: maybe(text()),
  after: maybe(text()),
  /** Begun: a later row has the outcome. Unknown: it may or may not have happened. */
  outcome: oneOf('begun', 'done', 'refused', 'failed', 'unknown'),
  reference: text(),
})

/** Work that outlives its request. */
export const WORK = columns({
  id: text(),
  /** Empty for work that belongs to no workspace. */
  workspaceId: text(),
  kind: text(),
  /** A workspace has at most one row with the same kind and key. */
  key: maybe(text()),
  personId: maybe(text()),
  /** Prepared: not confirmed by a person yet. Waiting: for its due time or a free process. Stopped: can be started again. */
  state: oneOf('prepared', 'waiting', 'running', 'stopped', 'done'),
  /** JSON, sealed for exactly this row. */
  sealedBody: maybe(text()),
  /** Not before this time. All times are by the database's clock. */
  dueAt: date(),
  /** The process that runs it, as long as that process sends heartbeats (`process`). */
  owner: maybe(text()),
  /** How often a process has begun it. */
  attempts: counted(),
  /** 1 if another run was requested while it was running. */
  wantedAgain: counted(),
  /** 1 if someone has asked it to stop. */
  wantsStop: counted(),
  /** The message that shows its progress, if there is one. */
  messageChannel: maybe(text()),
  messageTs: maybe(text()),
  madeAt: date(),
  /** When it was last begun, ended, or scheduled. */
  touchedAt: date(),
  /** The reference of its request in the log. Null for work that no request started. */
  reference: maybe(text()),
})

/** One step: a line of a job's file, or an action of an act. */
export const WORK_STEP = columns({
  /** The work's ID, a dot, and the line. A named step that happens again and again, such as a post, has a negative line. */
  id: text(),
  workId: text(),
  line: number(),
  /** For a step of an act: the name by which a later run recognizes it. */
  name: maybe(text()),
  /**
   * Begun: it may or may not have happened. Unknown: the same, and people were told so. Job steps also have: left-out (people were told
   * that it won't be done), skipped (the object isn't as expected), and unclear (a person has to find out).
   */
  state: oneOf('ready', 'begun', 'unknown', 'done', 'refused', 'left-out', 'skipped', 'unclear'),
  /** A job's record of the step. For a step of an act: its intent while it's begun, then its result or error. */
  sealedBody: maybe(text()),
  begunAt: maybe(text()),
  /** The process that last began it, and a random ID of that attempt. */
  begunBy: maybe(text()),
})

/** A check value for each key that has ever sealed something here. It opens only with that key. */
const KEY_CHECK = columns({ keyId: text(), sealed: text(), madeAt: text() })

/** Something that only one holder may have at a time. */
const CLAIM = columns({
  /** Empty for an idempotency key and a lock, which belong to no workspace. */
  workspaceId: text(),
  /** `once` and the SHA-256 hash of an idempotency key, or `lock` and what is locked. */
  key: text(),
  holder: text(),
  claimedAt: text(),
})

/** A process that shares the database. */
const PROCESS = columns({
  id: text(),
  seenAt: text(),
  /** Where it runs, so that an operator can find it. */
  about: text(),
  /** The deletions of workspaces that it knows of: it refuses rows from requests that began before them. */
  refuses: { ...text(), type: "text not null default ''" },
})

const WORKSPACE_OF_WORK = '(select w.workspace_id from work w where w.id = work_step.work_id)'

/** This package's tables. */
export const OWN_TABLES = [
  table('ephemeral_state', {
    columns: EPHEMERAL_STATE,
    key: ['id'],
    indexes: { by_expires_at: '(expires_at)', by_workspace_id: '(workspace_id)' },
    row: 'data for a later request, such as what someone typed into a window, encrypted',
    bound: 'deleted when it expires, after a few hours or a week',
    // `expires_at` is by a process's clock, which may be behind the database's.
    swept: [{ at: 'expires_at', afterMs: HOUR_MS }],
    sealed: { sealed_body: { identityColumns: ['workspace_id', 'id'] } },
  }),
  table('setting', {
    columns: SETTING,
    key: ['workspace_id', 'key'],
    indexes: { by_key: '(key, workspace_id)' },
    row: 'a setting of a workspace',
    bound: 'one for each setting and workspace',
    forgotten: 'kept',
  }),
  table('audit_entry', {
    columns: AUDIT_ENTRY,
    key: ['sequence'],
    indexes: {
      by_workspace: '(workspace_id, sequence)',
      by_user: '(workspace_id, user_id, sequence)',
      by_reference: '(workspace_id, reference)',
    },
    row: 'something that someone did or was refused',
    bound: 'deleted after the retention period, if one is set',
    forgotten: 'kept',
  }),
  table('work', {
    columns: WORK,
    key: ['id'],
    constraints: ['constraint work_key unique (workspace_id, kind, key)'],
    indexes: {
      due: '(state, workspace_id, due_at)',
      // Finds due work without reading work that isn't due, much of which may be months ahead.
      by_time: '(state, due_at, workspace_id, kind)',
      touched: '(state, touched_at)',
    },
    isRewritten: true,
    row: 'an act (a request that changes something), a job, or a scheduled task',
    bound:
      'acts are deleted a day after they end, jobs after 7 days, and previewed changes that nobody started after an hour; one scheduled task for each thing that is due',
    sealed: { sealed_body: { identityColumns: ['workspace_id', 'id'] } },
  }),
  table('work_step', {
    columns: WORK_STEP,
    key: ['id'],
    constraints: ['constraint work_step_line unique (work_id, line)'],
    indexes: { by_state: '(work_id, state, line)' },
    row: 'a step of an act, or a line of a job',
    bound: 'deleted with its work',
    owner: WORKSPACE_OF_WORK,
    partOf: { table: 'work', column: 'work_id' },
    sealed: { sealed_body: {} },
  }),
  table('key_check', {
    columns: KEY_CHECK,
    key: ['key_id'],
    row: 'a value that proves that an encryption key is the right one',
    bound: 'one for each key in use; a rotation removes the others',
    hasNoWorkspace: true,
  }),
  table('claim', {
    columns: CLAIM,
    key: ['workspace_id', 'key'],
    indexes: { by_time: '(claimed_at)' },
    row: 'something that must happen only once or one at a time: the key of a request, or a change to an object of another system',
    bound: 'deleted when it’s over, at the latest after a day',
    swept: [{ at: 'claimed_at', afterMs: DAY_MS }],
  }),
  table('process', {
    columns: PROCESS,
    key: ['id'],
    row: 'a running process: its number and its host',
    bound: 'deleted by the other processes after 30 s without a heartbeat',
    hasNoWorkspace: true,
  }),
  table('migration', {
    columns: columns({ name: text(), appliedAt: text() }),
    key: ['name'],
    // Exists before any migration runs (migrate.ts).
    since: '000',
    row: 'a migration that has run',
    bound: 'fixed: one for each migration',
    hasNoWorkspace: true,
  }),
] as const
