import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { workReader } from './work-row.ts'
import type { WorkStore } from './work-store.ts'

const ID = /^[A-Za-z0-9_.-]{10,64}$/
const MOST_OPEN = 50

/** What is told of work of one workspace. */
export function workReadings(
  rows: Kysely<Schema>,
  reader: ReturnType<typeof workReader>,
): Pick<WorkStore, 'find' | 'open'> {
  return {
    async find(workspaceId, id) {
      if (!ID.test(id)) return undefined
      const row = await rows
        .selectFrom('work')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && (await reader.one(rows, row))
    },

    async open(workspaceId, kinds) {
      const found = await rows
        .selectFrom('work')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('kind', 'in', [...kinds])
        .where('state', 'in', ['waiting', 'running'])
        .orderBy('made_at')
        .limit(MOST_OPEN)
        .execute()
      return await reader.all(rows, found)
    },
  }
}
