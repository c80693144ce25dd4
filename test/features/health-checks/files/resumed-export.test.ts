import { describe, expect, it } from 'vitest'
import type { Arguments } from '../../../../src/bot/grammar/read-words.ts'
import { createQueue } from '../../../../src/bot/jobs/job-queue.ts'
import { exportCommand } from '../../../../src/features/health-checks/files/export-checks.ts'
import type { Api } from '../../../../src/service/service.ts'
import { openActContext, storeAct } from '../../../bot/acts/act-context.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { startStore } from '../../../databases/store.ts'

const EXPORT = 'health-checks.export'

describe.each(SHARED_DATABASES)('/hc export that is resumed after a crash, on $name', ({ start }) => {
  it.each(['waiting', 'done'])(
    'starts one export, and says what becomes of it, if it is %s by then',
    async (state) => {
      await using store = await startStore(start)
      const command = exportCommand({ queue: createQueue(store.work, { wake: () => undefined }) })
      const work = await storeAct(store)
      async function run(attempts: number): Promise<unknown> {
        const healthChecks = { list: async () => ({ results: [], total: 2, unreadable: 0 }) }
        // Casts: only these are used.
        const api = { healthChecks } as unknown as Api
        const context = await openActContext(store, work, attempts, { api: async () => api })
        return command.run(context, { values: {}, flags: { status: 'UNHEALTHY' } } as unknown as Arguments)
      }
      expect(JSON.stringify(await run(1))).toContain('Waits for other exports to end. I’ll send you the file')
      if (state === 'done')
        for (const { id } of await store.work.claimDue('other', [EXPORT], 9))
          await store.work.release(id, 'other', { state: 'done' })
      const said = state === 'done' ? 'Started. ' : 'Waits for other exports to end. '
      expect(JSON.stringify(await run(2))).toContain(`${said}I’ll send you the file in a DM.`)
      expect(await store.work.listOpen('T1', [EXPORT])).toHaveLength(state === 'done' ? 0 : 1)
      const entries = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })
      expect(entries).toMatchObject([{ verb: '/hc export', outcome: 'done', after: { only: 'down' } }])
    },
  )
})
