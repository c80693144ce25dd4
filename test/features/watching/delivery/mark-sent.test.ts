import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { PendingMessage } from '../../../../src/features/watching/rows/outbox.ts'
import { makeFolder } from '../../../databases/databases.ts'
import { createModel } from '../model/model.ts'

it('records a posted card only together with the work that starts its escalation', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'a.db')
  await using model = await createModel({ url: `sqlite:${path}` })
  using database = new DatabaseSync(path)
  database.exec(`insert into watch_card (workspace_id, environment, channel_id, id, kind, opened_at, opened_seen, changed_at, lines, version, shown_version, details_version)
    values ('T1', 'production', 'C1', 'card', 'outage', '2026-11-20', 0, '2026-11-20', 1, 1, 0, 1)`)
  database.exec(`create trigger died before insert on work when new.kind = 'watch.due'
    begin select raise(abort, 'The process died here.'); end`)
  const place = { workspaceId: 'T1', environment: 'production', channelId: 'C1' }
  // Only what is read of it.
  const pending = {
    contents: { card: { id: 'card', kind: 'outage' } },
    what: 'card',
    place,
  } as PendingMessage
  await expect(model.store.watching.outbox.markSent(pending, '1.0', 1)).rejects.toThrow('died here')
  expect(database.prepare("select ts from watch_card where id = 'card'").get()).toEqual({ ts: null })
})
