import { describe, expect, it } from 'vitest'
import { createCoalescer } from '../../src/service/coalesce.ts'
import { ApiError } from '../../src/service/errors.ts'
import { catchFailure } from './vendor.ts'

/** Creates work that the test finishes. It records each start, with a signal that shows whether it was aborted. */
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

  it('are sent again once finished, for another key, and for another scope', async () => {
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
    const [one, two] = [new AbortController(), new AbortController()]
    const calls = [share('scope', 'key', start, one.signal), share('scope', 'key', start, two.signal)]
    one.abort()
    expect(await catchFailure(calls[0] as Promise<unknown>)).toMatchObject({ kind: 'cancelled' })
    expect(starts[0]?.signal.aborted).toBe(false)
    two.abort()
    expect(await catchFailure(calls[1] as Promise<unknown>)).toMatchObject({ kind: 'cancelled' })
    expect(starts[0]?.signal.aborted).toBe(true)
  })

  it('aren’t joined by a new caller after the last one aborted', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const leaver = new AbortController()
    const aborted = share('scope', 'key', start, leaver.signal)
    leaver.abort()
    const call = share('scope', 'key', start)
    starts[1]?.resolve('fresh')
    expect(await call).toBe('fresh')
    expect(await catchFailure(aborted)).toMatchObject({ kind: 'cancelled' })
  })

  it('continue for a caller without a signal when the others abort', async () => {
    const { share } = createCoalescer()
    const { starts, start } = createWork()
    const leaver = new AbortController()
    const staying = share('scope', 'key', start)
    const leaving = share('scope', 'key', start, leaver.signal)
    leaver.abort()
    expect(await catchFailure(leaving)).toMatchObject({ kind: 'cancelled' })
    starts[0]?.resolve('landed')
    expect(await staying).toBe('landed')
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
    const { share, closeScope: close } = createCoalescer()
    const { starts, start } = createWork()
    const before = share('scope', 'key', start)
    const elsewhere = share('other', 'key', start)
    close('scope')
    const after = share('scope', 'key', start)
    const joined = share('scope', 'key', start)
    expect(starts).toHaveLength(3)
    starts.forEach(({ resolve }, index) => void resolve(index))
    expect(await Promise.all([before, elsewhere, after, joined])).toEqual([0, 1, 2, 2])
  })
})
