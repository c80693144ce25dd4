import { describe, expect, it } from 'vitest'
import { DatabaseUnavailable, StoreError, WorkspaceDeleted } from '../../../packages/durable/src/index.ts'
import { createLateOutcomes } from '../../../packages/durable/src/work/late-outcomes.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

describe.each(SHARED_DATABASES)('an outcome that arrives while $name is down', ({ start }) => {
  /** A step that has begun, and what stores its outcome: the first `failures` tries meet this error. */
  async function startStep(failures: number, error: Error) {
    await using disposables = new AsyncDisposableStack()
    const store = disposables.use(await openStore(disposables.use(await start())))
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'one')
    const attempt = await store.steps.record('one', { workId: work.id, line: 1, name: 'buy' })
    if (!attempt) throw new Error('It was not begun.')
    const late: string[] = []
    let tries = 0
    const outcomes = disposables.use(
      createLateOutcomes(
        {
          recordOutcome: async (...settled) => {
            tries += 1
            if (tries <= failures) throw error
            await store.steps.recordOutcome(...settled)
          },
        },
        async (workId) => late.push(workId),
      ),
    )
    const resources = disposables.move()
    return {
      outcomes,
      late,
      tries: () => tries,
      workId: work.id,
      settle: () => outcomes.recordOutcome({ ...attempt, state: 'done', body: 'L-1' }),
      list: () => store.steps.list(work.id),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  it('is stored once it is back, though nobody could look it up', async () => {
    await using step = await startStep(3, new DatabaseUnavailable(new Error('down')))
    await step.settle()
    expect(await step.list()).toMatchObject([{ state: 'done', body: 'L-1' }])
    expect(step.late).toEqual([step.workId])
  })

  it('isn’t retried if that can’t help', async () => {
    for (const error of [new StoreError('bad-value', 'not JSON'), new WorkspaceDeleted()]) {
      await using step = await startStep(1, error)
      await expect(step.settle()).rejects.toBe(error)
      expect(step.tries()).toBe(1)
      expect(await step.list()).toMatchObject([{ state: 'begun' }])
    }
  })

  it('is given up when the process stops, so the next one looks it up', async () => {
    await using step = await startStep(Number.POSITIVE_INFINITY, new DatabaseUnavailable(new Error('down')))
    const settling = step.settle()
    const settled = step.outcomes.whenSettled(step.workId)
    await step.outcomes[Symbol.asyncDispose]()
    await Promise.all([settling, settled])
    expect(await step.list()).toMatchObject([{ state: 'begun' }])
    expect(step.late).toEqual([])
  })
})
