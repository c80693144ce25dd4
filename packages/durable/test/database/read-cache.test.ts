import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadCache } from '../../src/database/read-cache.ts'

/** A cache of one value that the test changes, and a count of its reads. */
function startCache() {
  const source = { value: 'a', reads: 0 }
  const cache = createReadCache()
  const read = async () => {
    source.reads += 1
    return source.value
  }
  const get = (ownerId = 'T1') => cache.get(ownerId, 'key', read)
  return { source, cache, get }
}

describe('a query result', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('isn’t cached if its owner changes during the read', async () => {
    const { cache, get } = startCache()
    const slow = Promise.withResolvers<string>()
    const first = cache.get('T1', 'key', () => slow.promise)
    await get('T2')
    await cache.invalidateAfter('T1', Promise.resolve())
    expect(await cache.get('T1', 'key', async () => 'present')).toBe('present')
    slow.resolve('past')
    expect(await first).toBe('past')
    expect(await cache.get('T1', 'key', async () => 'later')).toBe('present')
  })

  it('isn’t cached if the read fails', async () => {
    const { cache, get } = startCache()
    await expect(cache.get('T1', 'key', () => Promise.reject(new Error('Away.')))).rejects.toThrow('Away.')
    expect(await get()).toBe('a')
  })

  it('is cached only for the 2,000 most recently used owners', async () => {
    const { source, get } = startCache()
    for (let other = 0; other < 2000; other += 1) await get(`other ${other}`)
    await get('other 0')
    expect(source.reads).toBe(2000)
    await get()
    await get('other 0')
    expect(source.reads).toBe(2001)
    await get('other 1')
    expect(source.reads).toBe(2002)
  })

  it('is evicted if its owner has more than 32 cached results', async () => {
    const { source, cache, get } = startCache()
    await get()
    for (let other = 0; other < 32; other += 1) await cache.get('T1', `other ${other}`, async () => other)
    await get()
    expect(source.reads).toBe(2)
  })
})
