import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

const STEPS = [1, 2, 3].map((line) => ({ line, body: line }))

describe.each(SHARED_DATABASES)('the steps of a job on $name', ({ start }) => {
  async function startJob() {
    await using disposables = new AsyncDisposableStack()
    const database = disposables.use(await start())
    const store = disposables.use(await openStore(database))
    const id = await store.work.add({ workspaceId: 'T1', kind: 'job' }, 'waiting')
    await store.workSteps.add(id, STEPS)
    await store.work.claimDue('me', ['job'], 1)
    const resources = disposables.move()
    return {
      id,
      work: store.work,
      steps: store.workSteps,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  }

  it('ignore the outcome of an older attempt, even from the same process', async () => {
    await using job = await startJob()
    const { id, steps } = job
    const [first] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    await steps.settle(id, 'me', [{ line: 1, body: 1, state: 'ready', attempt: first }])
    // Attempts that begin in the same millisecond count as the same attempt.
    await setTimeout(2)
    const [second] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    await steps.settle(id, 'me', [{ line: 1, body: 1, state: 'ready', attempt: first }])
    await steps.settle(id, 'me', [{ line: 1, body: 'no', state: 'refused', attempt: first }])
    expect(await steps.countByState(id)).toMatchObject({ begun: 1, ready: 2, refused: 0 })
    await steps.settle(id, 'me', [{ line: 1, body: 'uuid', state: 'done', attempt: second }])
    expect(await steps.listInState(id, 'done', 0, 9)).toEqual([{ line: 1, opened: { body: 'uuid' } }])
  })

  it('keep their first outcome, and accept outcomes only from the process that began them', async () => {
    await using job = await startJob()
    const { id, steps } = job
    await steps.settle(id, 'me', [{ line: 1, body: 'uuid', state: 'same' }])
    await steps.settle(id, 'me', [{ line: 1, body: 'no', state: 'refused' }])
    expect(await steps.begin(id, 'me', STEPS)).toMatchObject([{ line: 2 }, { line: 3 }])
    await steps.settle(id, 'me', [{ line: 2, body: 'not begun', state: 'refused' }])
    await steps.settle(id, 'other', [{ line: 3, body: 'not theirs', state: 'done' }])
    expect(await steps.countByState(id)).toMatchObject({ ready: 0, begun: 2, done: 0, same: 1, refused: 0 })
  })

  it('that haven’t begun are settled only by the process that has the job', async () => {
    await using job = await startJob()
    const { id, steps } = job
    const [line1] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    await steps.settle(id, 'other', [{ line: 2, body: 'not theirs', state: 'skipped' }])
    expect(await steps.countByState(id)).toMatchObject({ ready: 2, begun: 1, skipped: 0 })
    // Who sent a request knows its outcome, even without the job.
    await steps.settle(id, 'other', [{ line: 1, body: 'sent', state: 'done', attempt: line1 }])
    await steps.settle(id, 'me', [{ line: 2, body: 'changed', state: 'skipped' }])
    expect(await steps.countByState(id)).toMatchObject({ ready: 1, begun: 0, done: 1, skipped: 1 })
  })

  it('can restart an attempt only once', async () => {
    await using job = await startJob()
    const { id, steps } = job
    const [first] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    if (!first) throw new Error('The step was not started.')
    await setTimeout(2)
    expect(await steps.begin(id, 'me', [{ line: 1, body: 'again', attempt: first }])).toMatchObject([
      { line: 1 },
    ])
    expect(await steps.begin(id, 'me', [{ line: 1, body: 'twice', attempt: first }])).toEqual([])
    expect(await steps.listBegun(id)).toMatchObject([{ line: 1, body: 'again' }])
  })
})
