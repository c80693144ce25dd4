import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { Store } from '../../../src/app/store.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startStore } from '../../databases/store.ts'
import { eitherOf } from '../../long.ts'

const TIMES = { leaseMs: 300, pollMs: 30, retryMs: 20 }
const quick: WorkKind = {
  kind: 'quick',
  lane: 'quick',
  maxAttempts: 2,
  async run({ work }) {
    return { state: work.body === undefined ? 'stopped' : 'done' }
  },
}
const row = { workspaceId: 'T1', kind: 'quick', body: { a: 1 } }
const startQuickEngine = ({ work }: Store) =>
  startEngine({ store: work, kinds: [quick], log: createLog('silent'), times: TIMES })
const readState = async (store: Store, id: string) => (await store.work.find('T1', id))?.state

describe.each(eitherOf(SHARED_DATABASES))('work whose body can’t be decrypted, on $name', ({ start }) => {
  /** Damages the sealed body of a row, as if its key had been lost. */
  async function damage(url: string, id: string): Promise<void> {
    await using database = await openDatabase(url)
    await sql`update work set sealed_body = 'nothing' where id = ${id}`.execute(database.rows)
  }

  it('doesn’t block other due work', async () => {
    await using store = await startStore(start)
    const ids = [await store.work.add(row, 'waiting'), await store.work.add(row, 'waiting')]
    await damage(store.url, ids[0] ?? '')
    await using _engine = startQuickEngine(store)
    await expect.poll(() => readState(store, ids[1] ?? '')).toBe('done')
    await expect.poll(() => readState(store, ids[0] ?? '')).toBe('stopped')
  })

  it('doesn’t block the take-over of a dead process’s other work', async () => {
    await using store = await startStore(start)
    const ids: string[] = []
    for (let index = 0; index < 4; index += 1)
      ids.push((await store.work.begin({ ...row, key: `k${index}` }, 'gone')).work.id)
    await damage(store.url, ids.sort()[0] ?? '')
    await using _engine = startQuickEngine(store)
    for (const id of ids.slice(1)) await expect.poll(() => readState(store, id)).toBe('done')
    await expect.poll(() => readState(store, ids[0] ?? '')).toBe('stopped')
  })
})
