import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'

describe.each(SHARED_DATABASES)('the processes on $name', ({ start }) => {
  it('are counted by their last heartbeat according to the database’s clock', async () => {
    let ms = Date.UTC(2026, 10, 20)
    await using store = await startStore(start, { clock: () => new Date(ms) })
    const { processes } = store
    expect(await processes.heartbeat('one')).toBe(1)
    expect(await processes.heartbeat('two')).toBe(2)
    ms += 20_000
    expect(await processes.heartbeat('one')).toBe(2)
    ms += 20_000
    expect(await processes.heartbeat('one')).toBe(1)
    expect(await processes.heartbeat('three')).toBe(2)
    await processes.leave('one')
    expect(await processes.heartbeat('three')).toBe(1)
  })
})
