import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { listeningSlack, startOrderProcess, WORKSPACE } from './order-process.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-01T12:00:00.000Z')

interface Kept extends AsyncDisposable {
  store: Store
  told: string[]
  /** Moves the database's clock by this many hours, and waits until nothing is due. */
  pass(hours: number): Promise<void>
  state(): Promise<string | undefined>
}

/** A waiting order, in a process whose own clock is off by `skewMs`. */
async function startKept(skewMs = 0): Promise<Kept> {
  await using started = new AsyncDisposableStack()
  let now = START
  const store = started.use(await openStore({ url: 'sqlite::memory:', clock: () => new Date(now) }))
  const { poster, told } = listeningSlack()
  // Only used to build a body.
  const api = {
    orders: { formatBody: JSON.stringify, create: () => Promise.reject(new Error('Nobody approves.')) },
  }
  const around = { api, poster, roles: new Set(['U2']) }
  // Time only moves when the test says so, so leases don't expire by themselves.
  const process = started.use(startOrderProcess({ store, around, now: () => new Date(now + skewMs) }))
  const isIdle = async (): Promise<boolean> => {
    const kinds = process.kinds.map(({ kind }) => kind)
    const due = (await Array.fromAsync(store.work.claimDue('the test', kinds, 1))).flat()
    for (const { id } of due) await store.work.release(id, 'the test', { state: 'waiting', dueInMs: 0 })
    return due.length === 0 && (await store.work.leases()).length === 0
  }
  await process.does('U1', { does: 'request', orderReference: 'PO 1' })
  await expect.poll(isIdle).toBe(true)
  const everything = started.move()
  return {
    store,
    told,
    async pass(hours) {
      now += hours * HOUR_MS
      process.engine.wake()
      await expect.poll(isIdle).toBe(true)
    },
    state: async () => (await store.orders.find(WORKSPACE, 1))?.state,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

describe('scheduled work of an order', () => {
  it.each([0, -2 * HOUR_MS, 2 * HOUR_MS, 95_000])(
    'reminds once, expires undecided orders, and notifies about both (own clock wrong by %i ms)',
    async (skewMs) => {
      await using kept = await startKept(skewMs)
      await kept.pass(23)
      const before = kept.told.length
      await kept.pass(2)
      expect(kept.told.slice(before)).toEqual([expect.stringContaining('Reminder: order 1 is still waiting')])
      await kept.pass(24)
      expect(kept.told.length).toBe(before + 1)
      expect(await kept.state()).toBe('awaiting')
      await kept.pass(24)
      expect(await kept.state()).toBe('expired')
      expect(kept.told.at(-1)).toContain('Your order 1 expired')
      const rows = await kept.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 4 })
      expect(rows.map(({ verb, actor, outcome }) => `${verb} ${actor.userId} ${outcome}`)).toEqual([
        '/cert-order expire signalman done',
        '/cert-order remind signalman done',
        '/cert-order U1 done',
        '/cert-order U1 begun',
      ])
      expect(rows[0]).toMatchObject({ before: { state: 'awaiting' }, after: { state: 'expired' } })
      await kept.pass(1000)
      expect(kept.told.at(-1)).toContain('Your order 1 expired')
    },
  )
})
