import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openProven } from '../../../packages/durable/src/secrets/opening.ts'
import { openStore } from '../../../src/app/store.ts'
import { EMPTY_DATABASES } from '../../databases/databases.ts'
import { NEXT_MODEL } from '../../databases/open.ts'

it.each(EMPTY_DATABASES)(
  'the next release brings a database on $name up to date with all it holds, and this one refuses it then',
  async ({ start }) => {
    await using place = await start()
    {
      await using store = await openStore(place)
      await store.channels.setEnvironment('T1', 'C1', 'ote')
    }
    // Once as it comes, once as it is by then.
    for (let times = 0; times < 2; times++) {
      const { database } = await openProven({ ...place, model: NEXT_MODEL })
      await using _closing = database
      const { rows } = await sql`select * from channel`.execute(database.rows)
      expect(rows).toEqual([{ workspace_id: 'T1', channel_id: 'C1', environment: 'ote', next_note: 'new' }])
    }
    await expect(openStore(place)).rejects.toMatchObject({ kind: 'newer' })
  },
)
