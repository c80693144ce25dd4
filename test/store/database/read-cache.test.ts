import { describe, expect, it } from 'vitest'
import { createReadCache } from '../../../src/store/database/read-cache.ts'

/** A cache over one value and a mark that the test moves, and a count of the looks at it. */
function watched() {
  const world: { mark: number | undefined; value: string; looks: number } = { mark: 1, value: 'a', looks: 0 }
  const cache = createReadCache(() => world.mark)
  const read = async () => {
    world.looks += 1
    return world.value
  }
  return { world, cache, get: () => cache.get('key', read) }
}

describe('what was read', () => {
  it('is given from memory until the mark is another one', async () => {
    const { world, get } = watched()
    expect([await get(), await get(), world.looks]).toEqual(['a', 'a', 1])
    world.value = 'b'
    expect(await get()).toBe('a')
    world.mark = 2
    expect([await get(), await get(), world.looks]).toEqual(['b', 'b', 2])
  })

  it('is read again after a write of this process, one that fails too', async () => {
    const { world, cache, get } = watched()
    await get()
    const write = async () => {
      world.value = 'b'
    }
    await cache.changing(write())
    expect(await get()).toBe('b')
    await expect(cache.changing(Promise.reject(new Error('No.')))).rejects.toThrow('No.')
    await get()
    expect(world.looks).toBe(3)
  })

  it('is not kept while nobody would say that it changes', async () => {
    const { world, get } = watched()
    await get()
    world.mark = undefined
    world.value = 'b'
    expect([await get(), await get(), world.looks]).toEqual(['b', 'b', 3])
    // As before the silence: what changed in it, nobody has said.
    world.mark = 1
    world.value = 'c'
    expect([await get(), world.looks]).toEqual(['c', 4])
  })

  it.each(['a write of this process', 'a change by another'])(
    'is not kept when it was under way during %s',
    async (by) => {
      const { world, cache } = watched()
      const slow = Promise.withResolvers<string>()
      const first = cache.get('key', () => slow.promise)
      if (by === 'a change by another') world.mark = 2
      else await cache.changing(Promise.resolve())
      slow.resolve('past')
      expect(await first).toBe('past')
      expect(await cache.get('key', async () => 'present')).toBe('present')
    },
  )

  it('is not more than 10,000 answers', async () => {
    const { world, cache, get } = watched()
    await get()
    for (let other = 0; other < 10_000; other += 1) await cache.get(`other ${other}`, async () => other)
    await get()
    expect(world.looks).toBe(2)
  })
})
