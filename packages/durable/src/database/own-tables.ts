import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { type Table, table } from './declared-table.ts'

const OF_ITS_WORK = '(select w.workspace_id from work w where w.id = work_step.work_id)'

/**
 * The tables of this package. The encryption keys themselves seal the keys of workspaces, the ends of the audit log and what proves
 * rows: these hold no content, and outlast the workspace.
 */
export const OWN_TABLES: readonly Table[] = [
  table('ephemeral_state', {
    row: 'what a window, a button or an undo must remember and Slack cannot hold, sealed',
    bound: 'swept when it has expired, which is within hours or a week',
    // Its end is by the clock of the app, which may be behind that of the database.
    swept: [{ at: 'expires_at', afterMs: HOUR_MS }],
    key: ['id'],
    sealed: { sealed_body: { named: ['workspace_id', 'id'] } },
  }),
  table('idempotency_key', {
    row: 'something that is done once',
    bound: 'swept after a day',
    swept: [{ at: 'claimed_at', afterMs: DAY_MS }],
    isOfNoWorkspace: true,
  }),
  table('setting', {
    row: 'a setting of a workspace',
    bound: 'one for each setting and workspace',
    key: ['workspace_id', 'key'],
    forgotten: 'kept',
    proves: ['value'],
  }),
  table('audit_entry', {
    row: 'something that somebody did, or was refused',
    bound:
      'swept after the days that an admin has set (in the form of `/hc access`); kept for ever where none has',
    key: ['workspace_id', 'sequence'],
    forgotten: 'kept',
    sealed: { sealed_erasure: { byRoot: true } },
  }),
  table('audit_chain', {
    row: "both ends of a workspace's audit log, sealed",
    bound: 'one for each workspace, and one that counts them',
    key: ['workspace_id'],
    forgotten: 'kept',
    sealed: { sealed_head: { byRoot: true } },
  }),
  table('work', {
    row: 'an act, a job, or what is due',
    bound:
      'acts are swept a day after their end, jobs after 7 days; what waits is one for each thing that is due',
    key: ['id'],
    sealed: { sealed_body: { named: ['workspace_id', 'id'] } },
  }),
  table('work_step', {
    row: 'a step of an act, a line of a job, or who was told of paused watches',
    bound: 'swept with its work',
    key: ['id'],
    owner: OF_ITS_WORK,
    partOf: { table: 'work', column: 'work_id' },
    sealed: { sealed_body: {}, sealed_result: { label: 'work_step_result' } },
  }),
  table('key_check', {
    row: 'the proof of an encryption key',
    bound: 'one for each key in use; `rotate-keys` takes the others out',
    isOfNoWorkspace: true,
  }),
  table('workspace_key', {
    row: 'a key of a workspace, sealed, or the word that it was destroyed',
    bound:
      'two in use for each workspace; one more for each key that was replaced, and one or two for each time that the app was taken out: they stay, so that no restore brings back what was forgotten',
    key: ['id'],
    forgotten: 'apart',
    sealed: { sealed_key: { named: ['workspace_id', 'purpose', 'id'], byRoot: true } },
  }),
  table('post_attempt', {
    row: 'a message that was about to be posted, of unknown outcome',
    bound: 'swept after a day',
    swept: [{ at: 'attempted_at', afterMs: DAY_MS }],
  }),
  table('process', {
    row: 'a process that lives: its number, its host, and which key it seals with',
    bound: 'swept when it has given no sign for 30 s, by the others',
    isOfNoWorkspace: true,
  }),
  table('migration', {
    row: 'a change of the tables that has run',
    bound: 'fixed: one for each',
    isOfNoWorkspace: true,
  }),
]
