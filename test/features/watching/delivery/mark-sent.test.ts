import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { unschedule } from '@signalman/durable'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { PendingMessage } from '../../../../src/features/watching/rows/outbox.ts'
import { WATCH_WORK, watchingLock } from '../../../../src/features/watching/rows/watch-work.ts'
import { KEY_A, makeFolder } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { startPostgresDatabase } from '../../../databases/postgres.ts'
import { createModel } from '../model/model.ts'

const TARGET = { workspaceId: 'T1', environment: 'production', channelId: 'C1' } as const
// Cast: `markSent` reads only these fields.
const PENDING = {
  contents: { card: { id: 'card', kind: 'card' } },
  target: TARGET,
} as unknown as PendingMessage
const POSTED = { channelId: 'C1', ts: '1.0' }

it('records a card as posted only in the same transaction that schedules its escalation', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'a.db')
  await using model = await createModel({ url: `sqlite:${path}` })
  using database = new DatabaseSync(path)
  database.exec(`insert into watch_card (workspace_id, environment, channel_id, id, kind, opened_at, opened_clock_ms, changed_at, content, moved, unwatched_count, version, shown_version)
    values ('T1', 'production', 'C1', 'card', 'card', '2026-11-20', 0, '2026-11-20', '', '{}', 0, 1, 0)`)
  database.exec(`create trigger died before insert on work when new.kind = 'watch.due'
    begin select raise(abort, 'The process died here.'); end`)
  await expect(model.store.watching.outbox.markSent(PENDING, POSTED, 1)).rejects.toThrow('died here')
  expect(database.prepare("select ts from watch_card where id = 'card'").get()).toEqual({ ts: null })
})

// Only on PostgreSQL, because SQLite has one writer at a time.
it('schedules escalation even if a concurrent decision didn’t see the card', async () => {
  await using server = await startPostgresDatabase('migrated')
  const database = { url: server.url, keys: KEY_A }
  await using store = await openStore(database)
  await using raw = await openDatabase(database.url)
  const dueWork = { workspaceId: 'T1', kind: WATCH_WORK.update, key: TARGET.environment }
  let recorded: Promise<void> | undefined
  await raw.withLock(watchingLock('T1'), async (transaction) => {
    let isOver = false
    recorded = store.watching.outbox.markSent(PENDING, POSTED, 1).finally(() => {
      isOver = true
    })
    // Waits until `markSent` waits for the lock, or has already ended.
    const isWaiting = async () =>
      (await sql`select 1 from pg_locks where not granted`.execute(raw.rows)).rows.length > 0
    while (!isOver && !(await isWaiting())) await nextTurn()
    await unschedule(transaction, dueWork)
  })
  await recorded
  const scheduled = await raw.rows.selectFrom('work').select('key').where('kind', '=', dueWork.kind).execute()
  expect(scheduled).toEqual([{ key: dueWork.key }])
})
