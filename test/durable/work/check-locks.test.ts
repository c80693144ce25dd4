import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type HeldLock, Locked } from '../../../packages/durable/src/index.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'

const OPTIONS = { maxInFlightMs: 60_000, waitMs: 0, mayStillRun: () => false }

describe.each(SHARED_DATABASES)('the lock of an object on $name', ({ start }) => {
  it('has one holder, and is free once its work ends, in any way', async () => {
    await using database = await start()
    await using one = await openStore(database)
    await using two = await openStore(database)
    for (const isFailing of [false, true]) {
      const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const held = one.checkLocks.hold('k', OPTIONS, () => {
        started.resolve()
        return ending.promise
      })
      await started.promise
      await expect(two.checkLocks.hold('k', OPTIONS, async () => undefined)).rejects.toThrow(Locked)
      expect(await two.checkLocks.hold('another', OPTIONS, async () => 'free')).toBe('free')
      if (isFailing) ending.reject(new Error('refused'))
      else ending.resolve()
      await held.catch(() => undefined)
      expect(await two.checkLocks.hold('k', OPTIONS, async () => 'free')).toBe('free')
    }
  })

  it('is waited for until it’s free', async () => {
    await using database = await start()
    await using one = await openStore(database)
    await using two = await openStore(database)
    const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = one.checkLocks.hold('k', OPTIONS, () => {
      started.resolve()
      return ending.promise
    })
    await started.promise
    const waiting = two.checkLocks.hold('k', { ...OPTIONS, waitMs: 60_000 }, async () => 'free')
    // Long enough for the first try.
    await setTimeout(20)
    ending.resolve()
    expect(await waiting).toBe('free')
    await held
  })

  it('stays taken after an error after which something may still run, until that is over', async () => {
    await using store = await startStore(start)
    const lost = ({ send }: HeldLock) => send(() => Promise.reject(new Error('No answer.')))
    await store.checkLocks.hold('k', { ...OPTIONS, mayStillRun: () => true }, lost).catch(() => undefined)
    await expect(store.checkLocks.hold('k', OPTIONS, async () => undefined)).rejects.toThrow(Locked)
    await setTimeout(5)
    expect(await store.checkLocks.hold('k', { ...OPTIONS, maxInFlightMs: 1 }, async () => 'lapsed')).toBe(
      'lapsed',
    )
  })

  it('isn’t kept by a clock that was ahead: it lapses as if it had been taken after the clock was set back', async () => {
    let nowMs = Date.UTC(2026, 10, 28)
    await using database = await start()
    await using store = await openStore({ ...database, clock: () => new Date(nowMs) })
    const lost = ({ send }: HeldLock) => send(() => Promise.reject(new Error('No answer.')))
    nowMs += 86_400_000
    await store.checkLocks.hold('k', { ...OPTIONS, mayStillRun: () => true }, lost).catch(() => undefined)
    nowMs -= 86_400_000
    const take = () => store.checkLocks.hold('k', OPTIONS, async () => 'lapsed')
    await expect(take()).rejects.toThrow(Locked)
    nowMs += 30_000
    await expect(take()).rejects.toThrow(Locked)
    nowMs += 30_001
    expect(await take()).toBe('lapsed')
  })

  it('can’t be renewed once another holder has taken it over', async () => {
    await using store = await startStore(start)
    // So short that each renewal is written.
    const options = { ...OPTIONS, maxInFlightMs: 25, holder: 'R1' }
    const holding = store.checkLocks.hold('k', options, async ({ send }) => {
      const renew = () => send(async () => undefined)
      // The same request goes on in another process.
      await store.checkLocks.hold('k', options, async (other) => {
        await setTimeout(5)
        await expect(renew()).rejects.toThrow(Locked)
        await other.send(async () => undefined)
      })
      await setTimeout(5)
      await expect(renew()).rejects.toThrow(Locked)
      return 'over'
    })
    expect(await holding).toBe('over')
  })
})
