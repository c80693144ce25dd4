import { describe, expect, it } from 'vitest'
import { createCoalescer } from '../../src/service/coalesce.ts'
import { ApiError } from '../../src/service/errors.ts'
import { catchFailure } from './vendor.ts'

/** Creates a read that the test completes itself. `starts` has an entry for each start of the read, with its abort signal. */
function createWork() {
  const starts: { resolve: (value: unknown) => void; reject: (error: Error) => void; signal: AbortSignal }[] =
    []
  const start = (signal: AbortSignal) =>
    new Promise<unknown>((resolve, reject) => {
      starts.push({ resolve, reject, signal })
      signal.addEventListener('abort', () => reject(new ApiError('cancelled', 'stopped')))
    })
  return { starts, start }
}

describe('concurrent reads', () => {
  it('are sent once for all callers', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const calls = Array.from({ length: 30 }, () => share('scope', 'key', start))
    starts[0]?.resolve({})
    const values = await Promise.all(calls)
    expect(starts).toHaveLength(1)
    expect(new Set(values).size).toBe(1)
  })

  it('are shared only with callers of the same key and scope, and only until they finish', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const first = share('scope', 'key', start)
    starts[0]?.resolve(1)
    await first
    const calls = [share('scope', 'key', start), share('scope', 'other', start), share('other', 'key', start)]
    expect(starts).toHaveLength(4)
    starts.forEach(({ resolve }, index) => void resolve(index))
    expect(await Promise.all(calls)).toEqual([1, 2, 3])
  })

  it('continue when one caller aborts, and stop when the last one does', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const [first, second] = [new AbortController(), new AbortController()]
    const calls = [share('scope', 'key', start, first.signal), share('scope', 'key', start, second.signal)]
    first.abort()
    expect(await catchFailure(calls[0] as Promise<unknown>)).toMatchObject({ kind: 'cancelled' })
    expect(starts[0]?.signal.aborted).toBe(false)
    second.abort()
    expect(await catchFailure(calls[1] as Promise<unknown>)).toMatchObject({ kind: 'cancelled' })
    expect(starts[0]?.signal.aborted).toBe(true)
  })

  it('aren’t joined by a new caller after the last one aborted', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const controller = new AbortController()
    const aborted = share('scope', 'key', start, controller.signal)
    controller.abort()
    const call = share('scope', 'key', start)
    starts[1]?.resolve('fresh')
    expect(await call).toBe('fresh')
    expect(await catchFailure(aborted)).toMatchObject({ kind: 'cancelled' })
  })

  it('continue for a caller without a signal when the others abort', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const controller = new AbortController()
    const remaining = share('scope', 'key', start)
    const aborted = share('scope', 'key', start, controller.signal)
    controller.abort()
    expect(await catchFailure(aborted)).toMatchObject({ kind: 'cancelled' })
    starts[0]?.resolve('done')
    expect(await remaining).toBe('done')
  })

  it('don’t start for a caller that has already aborted', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    expect(await catchFailure(share('scope', 'key', start, AbortSignal.abort()))).toMatchObject({
      kind: 'cancelled',
    })
    expect(starts).toHaveLength(0)
  })

  it('fail for all waiting callers, and are sent again for the next one', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const calls = [share('scope', 'key', start), share('scope', 'key', start)]
    starts[0]?.reject(new ApiError('unavailable', 'down'))
    const errors = await Promise.all(calls.map(catchFailure))
    expect(errors.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable'])
    const again = share('scope', 'key', start)
    starts[1]?.resolve('up')
    expect(await again).toBe('up')
  })

  it('aren’t joined by new callers after a write in their scope', async () => {
    const { share, detachRunningReads } = createCoalescer()
    const { starts, start } = createWork()
    const before = share('scope', 'key', start)
    const inOtherScope = share('other', 'key', start)
    detachRunningReads('scope')
    const after = share('scope', 'key', start)
    const joined = share('scope', 'key', start)
    expect(starts).toHaveLength(3)
    starts.forEach(({ resolve }, index) => void resolve(index))
    expect(await Promise.all([before, inOtherScope, after, joined])).toEqual([0, 1, 2, 2])
  })
})
