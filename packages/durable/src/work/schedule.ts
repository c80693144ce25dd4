import { type Kysely, sql } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import { type Schema, updateRows } from '../database/schema.ts'
import { newWorkRow, WORK_KEY } from './work-row.ts'

/** Work of one kind for one thing, such as the reminders of one invoice. */
export interface WorkKey {
  readonly workspaceId: string
  readonly kind: string
  readonly key: string
}

/** Schedules work within the caller's transaction, replacing its earlier due time. Running work runs once more afterwards. */
export async function schedule(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  key: WorkKey,
  dueAt?: Date,
): Promise<void> {
  const row = newWorkRow(time, key, 'waiting')
  await rows
    .insertInto('work')
    .values({ ...row, ...(dueAt && { due_at: dueAt.toISOString() }) })
    .onConflict((conflict) =>
      conflict.columns(WORK_KEY).doUpdateSet({
        state: sql`case when work.state = 'running' then 'running' else 'waiting' end`,
        wanted_again: sql`case when work.state = 'running' then 1 else 0 end`,
        due_at: sql`excluded.due_at`,
        touched_at: sql`excluded.touched_at`,
        reference: sql`excluded.reference`,
        attempts: 0,
      }),
    )
    .execute()
}

/** Makes one finished piece of work due again now. Does nothing unless the work with this ID is finished and of this kind. */
export async function reschedule(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  kind: string,
  id: string,
): Promise<void> {
  const due = { state: 'waiting' as const, due_at: time(), touched_at: time(), attempts: 0 }
  await updateRows(rows, 'work', { id, kind, state: 'done' }, due)
}

/** Deletes the work unless it's running. Running work has to detect that it's no longer needed. */
export async function unschedule(rows: Kysely<Schema>, { workspaceId, kind, key }: WorkKey): Promise<void> {
  await rows
    .deleteFrom('work')
    .where((work) => work.and({ workspace_id: workspaceId, kind, key }))
    .where('state', '<>', 'running')
    .execute()
}
