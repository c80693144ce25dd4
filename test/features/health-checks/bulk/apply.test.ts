import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { createQueue } from '../../../../src/bot/jobs/job-queue.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/bulk/job.ts'
import { apply, type BulkDeps } from '../../../../src/features/health-checks/bulk/preview.ts'
import { openActContext, storeAct } from '../../../bot/acts/act-context.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'

describe.each(SHARED_DATABASES)('a change of many that is applied on $name', ({ start }) => {
  /** Stores a preview, and returns a function that applies it in an act. `meanwhile` is what happens while that looks up the account. */
  async function open() {
    await using started = new AsyncDisposableStack()
    const store = started.use(await openStore(started.use(await start())))
    const queue = createQueue(store.work, { wake: () => undefined })
    // Cast: starting a job uses only these.
    const deps = { queue, steps: store.steps } as unknown as BulkDeps
    const work = await storeAct(store)
    const details = { verb: '/hc edit', title: 'edit web-*', account: 'a' }
    const id = await queue.prepare(await openActContext(store, work, 1), { kind: CHANGES_KIND, details })
    const applyIn = async (attempts: number, meanwhile?: () => Promise<unknown>) => {
      const api = async () => {
        await meanwhile?.()
        return { account: 'a' }
      }
      return apply(deps, await openActContext(store, work, attempts, { api } as object), id)
    }
    const resources = started.move()
    return {
      ...{ store, id, applyIn },
      findState: async () => (await store.work.find('T1', id))?.state,
      async listOutcomes() {
        const entries = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 9 })
        return entries.map(({ verb, object, outcome }) => `${verb} ${object}: ${outcome}`)
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  it('is started once, and has the same answer if the act runs again after a crash', async () => {
    await using preview = await open()
    const { id, applyIn, findState, listOutcomes } = preview
    const first = await applyIn(1)
    expect(JSON.stringify(first)).toContain('Started.')
    expect(await applyIn(2)).toEqual(first)
    expect(await findState()).toBe('waiting')
    expect(await listOutcomes()).toEqual([`/hc edit job ${id} (edit web-*): done`])
  })

  it('isn’t started by two people: the second is told so', async () => {
    await using preview = await open()
    const { store, id, applyIn, listOutcomes } = preview
    const second = applyIn(1, () => store.work.start('T1', id, { personId: 'U2', body: {} }))
    await expect(second).rejects.toThrow('This has been applied or stopped.')
    expect(await listOutcomes()).toEqual([`/hc edit job ${id} (edit web-*): failed`])
  })
})
