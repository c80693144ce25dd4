import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { Arguments } from '../../../../src/bot/grammar/read-words.ts'
import { createQueue } from '../../../../src/bot/jobs/job-queue.ts'
import { CHANGES_KIND } from '../../../../src/features/health-checks/bulk/job.ts'
import { addRows } from '../../../../src/features/health-checks/bulk/job-rows.ts'
import { jobCommands } from '../../../../src/features/health-checks/bulk/jobs.ts'
import { apply } from '../../../../src/features/health-checks/bulk/preview.ts'
import type { BulkDeps } from '../../../../src/features/health-checks/bulk/start.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import { openActContext, storeAct } from '../../../bot/acts/act-context.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { decide } from '../../../decide.ts'

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
      async stop() {
        const [command] = jobCommands(deps).filter(({ line }) => line === '/hc job-stop')
        // Cast: it uses only these.
        return command?.run(await openActContext(store, work, 2), {
          values: { job: id },
        } as unknown as Arguments)
      },
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
    expect(JSON.stringify(first)).toContain('Waits for other changes to end.')
    expect(await applyIn(2)).toEqual(first)
    expect(await findState()).toBe('waiting')
    expect(await listOutcomes()).toEqual([`/hc edit job ${id} (edit web-*): done`])
  })

  it('goes on, and says so, if it has one row left when the act runs again', async () => {
    await using preview = await open()
    const { store, id, applyIn } = preview
    const before = { settings: { name: 'web' }, alerts: [] }
    const rows = [1, 2].map((line) => ({ line, do: 'edit', name: 'web', uuid: `${line}`, before, set: {} }))
    // Cast: nothing is written.
    await addRows(store.steps, id, rows as unknown as Row[], [])
    await applyIn(1)
    await store.work.claimDue('another', [CHANGES_KIND], 1)
    await store.steps.record('another', { workId: id, line: 1 })
    expect(JSON.stringify(await applyIn(2))).toContain('Started.')
    // Nobody has asked the process that runs it to stop.
    expect(await store.work.renew('another')).toEqual(new Map([[id, false]]))
  })

  it('isn’t started by two people: the second is told so', async () => {
    await using preview = await open()
    const { store, id, applyIn, listOutcomes } = preview
    const second = applyIn(1, () =>
      decide(store, 'T1', (decisions) =>
        store.work.within(decisions).start(id, { personId: 'U2', body: {} }),
      ),
    )
    await expect(second).rejects.toThrow('This has been applied or stopped.')
    expect(await listOutcomes()).toEqual([`/hc edit job ${id} (edit web-*): failed`, 'prepare : done'])
  })

  it('isn’t stopped once it is over', async () => {
    await using preview = await open()
    const { store, id, applyIn, stop, listOutcomes } = preview
    await applyIn(1)
    const { id: leased } = (await store.work.claimDue('one', [CHANGES_KIND], 1))[0] ?? {}
    await store.work.release(leased ?? '', 'one', { state: 'done' })
    await expect(stop()).rejects.toThrow('This has already ended.')
    expect(await listOutcomes()).toEqual([
      `/hc job-stop job ${id}: failed`,
      `/hc edit job ${id} (edit web-*): done`,
    ])
  })
})
