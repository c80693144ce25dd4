import { expect, it } from 'vitest'
import { selectRows } from '../../../packages/durable/src/index.ts'
import { forgetRows } from '../../../packages/durable/src/work/delete-work.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const attemptRow = (key: string) => ({
  workspace_id: 'T1',
  key,
  holder: 'm',
  claimed_at: '2026-03-01T12:00:00.000Z',
})

it.each(SHARED_DATABASES)(
  'forgetting a workspace also deletes rows that are written during the deletion, on $name',
  async ({ start }) => {
    await using shared = await start()
    await (await openStore(shared))[Symbol.asyncDispose]()
    await using database = await openDatabase(shared.url)
    const { rows } = database
    await rows.insertInto('claim').values(attemptRow('first')).execute()
    let lateRows = 3
    const counts = await forgetRows(
      database,
      'T1',
      async (work) => {
        const result = await rows.transaction().execute(work)
        if (lateRows > 0)
          await rows
            .insertInto('claim')
            .values(attemptRow(`late ${lateRows--}`))
            .execute()
        return result
      },
      async () => undefined,
    )
    expect(counts).toEqual(new Map([['claim', 4]]))
    expect(await selectRows(rows, 'claim', { workspace_id: 'T1' }).execute()).toEqual([])
  },
)
