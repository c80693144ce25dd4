import { describe, expect, it } from 'vitest'
import { createReadCache } from '../../src/database/read-cache.ts'

/** A cache over one value and word of changes that the test gives, and a count of the looks at it. */
function watched() {
  const world: { version: number | undefined; value: string; looks: number } = {
    version: 1,
    value: 'a',
    looks: 0,
  }
  const listeners: ((ownerId: string) => void)[] = []
  const cache = createReadCache({
    version: () => world.version,
    hear: (listener) => void listeners.push(listener),
  })
  const read = async () => {
    world.looks += 1
    return world.value
  }
  const get = (ownerId = 'T1') => cache.get(ownerId, 'key', read)
  const changed = (ownerId: string) => {
    for (const listener of listeners) listener(ownerId)
  }
  return { world, cache, get, changed }
}

describe('what was read', () => {
  it('is given from memory until the version is another one', async () => {
    const { world, get } = watched()
    expect([await get(), await get(), world.looks]).toEqual(['a', 'a', 1])
    world.value = 'b'
    expect(await get()).toBe('a')
    world.version = 2
    expect([await get(), await get(), world.looks]).toEqual(['b', 'b', 2])
  })

  it('is given from memory until its owner is named, and no other one', async () => {
    const { world, get, changed } = watched()
    await get('T1')
    await get('T2')
    world.value = 'b'
    changed('T2')
    expect([await get('T1'), await get('T2'), world.looks]).toEqual(['a', 'b', 3])
  })

  it("is read again after a write of this process to its owner's, one that fails too", async () => {
    const { world, cache, get } = watched()
    await get()
    const write = async () => {
      world.value = 'b'
    }
    await cache.changing('T1', write())
    expect(await get()).toBe('b')
    await expect(cache.changing('T1', Promise.reject(new Error('No.')))).rejects.toThrow('No.')
    await get()
    expect(world.looks).toBe(3)
    await cache.changing('T2', Promise.resolve())
    await get()
    expect(world.looks).toBe(3)
  })

  it('is neither given nor kept while nobody can say what has changed', async () => {
    const { world, get } = watched()
    await get()
    world.version = undefined
    world.value = 'b'
    expect([await get(), await get(), world.looks]).toEqual(['b', 'b', 3])
    world.version = 2
    world.value = 'c'
    expect([await get(), world.looks]).toEqual(['c', 4])
  })

  it.each(['a write of this process', 'a change by another', 'a change by another, named'])(
    'is not kept when it was under way during %s',
    async (by) => {
      const { world, cache, get, changed } = watched()
      const slow = Promise.withResolvers<string>()
      const first = cache.get('T1', 'key', () => slow.promise)
      await get('T2')
      if (by === 'a change by another') world.version = 2
      else if (by === 'a change by another, named') changed('T1')
      else await cache.changing('T1', Promise.resolve())
      slow.resolve('past')
      expect(await first).toBe('past')
      expect(await cache.get('T1', 'key', async () => 'present')).toBe('present')
    },
  )

  it('is given to nobody who came while its owner changed', async () => {
    const { cache } = watched()
    const slow = Promise.withResolvers<string>()
    const first = cache.get('T1', 'key', () => slow.promise)
    await cache.changing('T1', Promise.resolve())
    expect(await cache.get('T1', 'key', async () => 'present')).toBe('present')
    slow.resolve('past')
    expect(await first).toBe('past')
    expect(await cache.get('T1', 'key', async () => 'later')).toBe('present')
  })

  it('is kept of 20,000 owners, and no more', async () => {
    const { world, get } = watched()
    for (let other = 0; other < 20_000; other += 1) await get(`other ${other}`)
    await get('other 0')
    expect(world.looks).toBe(20_000)
    await get()
    await get('other 0')
    expect(world.looks).toBe(20_001)
    await get('other 1')
    expect(world.looks).toBe(20_002)
  })

  it('is at most 32 answers of an owner', async () => {
    const { world, cache, get } = watched()
    await get()
    for (let other = 0; other < 32; other += 1) await cache.get('T1', `other ${other}`, async () => other)
    await get()
    expect(world.looks).toBe(2)
  })
})
