import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createRecordingSlack, startOrderProcess, WORKSPACE } from './order-process.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-01T12:00:00.000Z')

/** Stores an order that awaits approval, in a process whose clock is off by `skewMs`. */
async function startWaitingOrder(skewMs: number) {
  await using started = new AsyncDisposableStack()
  let now = START
  const store = started.use(await openStore({ url: 'sqlite::memory:', clock: () => new Date(now) }))
  const { poster, sentTexts } = createRecordingSlack()
  // Only `formatBody` is used.
  const api = {
    orders: { formatBody: JSON.stringify, create: () => Promise.reject(new Error('Nobody approves.')) },
  }
  const fakes = { api, poster, roles: new Set(['U2']) }
  // The clock only advances when the test says so, so leases don't expire by themselves.
  const process = started.use(startOrderProcess({ store, fakes, now: () => new Date(now + skewMs) }))
  const isIdle = async (): Promise<boolean> => {
    const kinds = process.kinds.map(({ kind }) => kind)
    const due = await store.work.claimDue('the test', kinds, 1)
    for (const { id } of due) await store.work.release(id, 'the test', { state: 'waiting', dueInMs: 0 })
    return due.length === 0 && (await store.work.listLeases()).length === 0
  }
  await process.performAction('U1', { kind: 'request', orderReference: 'PO 1' })
  await expect.poll(isIdle).toBe(true)
  const resources = started.move()
  return {
    store,
    sentTexts,
    /** Advances the database's clock, and waits until no work is due. */
    async advance(hours: number): Promise<void> {
      now += hours * HOUR_MS
      process.engine.wake()
      await expect.poll(isIdle).toBe(true)
    },
    state: async () => (await store.orders.find(WORKSPACE, 1))?.state,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('scheduled work of an order', () => {
  it.each([0, -2 * HOUR_MS, 2 * HOUR_MS, 95_000])(
    'reminds once, expires undecided orders, and notifies about both (own clock wrong by %i ms)',
    async (skewMs) => {
      await using order = await startWaitingOrder(skewMs)
      await order.advance(23)
      const before = order.sentTexts.length
      await order.advance(2)
      expect(order.sentTexts.slice(before)).toEqual([
        expect.stringContaining('Reminder: order 1 is still waiting'),
      ])
      await order.advance(24)
      expect(order.sentTexts.length).toBe(before + 1)
      expect(await order.state()).toBe('awaiting')
      await order.advance(24)
      expect(await order.state()).toBe('expired')
      expect(order.sentTexts.at(-1)).toContain('Your order 1 expired')
      const rows = await order.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 4 })
      expect(rows.map(({ verb, actor, outcome }) => `${verb} ${actor.userId} ${outcome}`)).toEqual([
        '/cert-order expire signalman done',
        '/cert-order remind signalman done',
        '/cert-order U1 done',
        '/cert-order U1 begun',
      ])
      expect(rows[0]).toMatchObject({ before: { state: 'awaiting' }, after: { state: 'expired' } })
      const count = order.sentTexts.length
      await order.advance(1000)
      expect(order.sentTexts).toHaveLength(count)
    },
  )
})
