import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'

const STEPS = [1, 2, 3].map((line) => ({ line, body: line }))

describe.each(SHARED_DATABASES)('the steps of a job on $name', ({ start }) => {
  async function startJob() {
    await using started = new AsyncDisposableStack()
    const database = started.use(await start())
    const store = started.use(await openStore(database))
    const id = await store.work.add({ workspaceId: 'T1', kind: 'job' }, 'waiting')
    await store.workSteps.add(id, STEPS)
    await Array.fromAsync(store.work.claimDue('me', ['job'], 1))
    const all = started.move()
    return { id, work: store.work, steps: store.workSteps, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }

  it('are settled as they were begun: an earlier beginning of the same process contradicts no later one', async () => {
    await using job = await startJob()
    const { id, steps } = job
    const [first] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    await steps.settle(id, 'me', [{ line: 1, state: 'ready', attempt: first }])
    // The same millisecond would be the same beginning.
    await setTimeout(2)
    const [again] = await steps.begin(id, 'me', STEPS.slice(0, 1))
    await steps.settle(id, 'me', [{ line: 1, state: 'ready', attempt: first }])
    await steps.settle(id, 'me', [{ line: 1, state: 'refused', result: 'no', attempt: first }])
    expect(await steps.counts(id)).toMatchObject({ begun: 1, ready: 2, refused: 0 })
    await steps.settle(id, 'me', [{ line: 1, state: 'done', result: 'uuid', attempt: again }])
    expect(await steps.outcomes(id, 'done', 0, 9)).toEqual([{ line: 1, state: 'done', result: 'uuid' }])
  })

  it('keep an outcome that is there, and what another process has begun', async () => {
    await using job = await startJob()
    const { id, steps } = job
    await steps.settle(id, 'me', [{ line: 1, state: 'found', result: 'uuid' }])
    await steps.settle(id, 'me', [{ line: 1, state: 'refused', result: 'no' }])
    expect(await steps.begin(id, 'me', STEPS)).toMatchObject([{ line: 2 }, { line: 3 }])
    await steps.settle(id, 'me', [{ line: 2, state: 'refused', result: 'not begun' }])
    await steps.settle(id, 'other', [{ line: 3, state: 'done', result: 'not theirs' }])
    expect(await steps.counts(id)).toEqual({ ready: 0, begun: 2, done: 0, found: 1, refused: 0 })
  })
})
