import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createRecordingSlack, WORKSPACE } from './order-process.ts'
import { createSimulatedProcess } from './simulated-order-process.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-03-01T12:00:00.000Z')

it.each([0, -2 * HOUR_MS, 2 * HOUR_MS, 95_000])(
  'reminds once of an order, lets it expire undecided, and notifies about both (own clock wrong by %i ms)',
  async (skewMs) => {
    let now = START
    await using store = await openStore({ url: 'sqlite::memory:', clock: () => new Date(now) })
    const { poster, sentTexts } = createRecordingSlack()
    const create = () => Promise.reject(new Error('Nobody approves.'))
    const fakes = { api: { orders: { create } }, poster, roles: new Set(['U2']) }
    const process = createSimulatedProcess({
      ...{ store, workspaceId: WORKSPACE, fakes, now: () => new Date(now + skewMs) },
      onError: (error) => expect.fail(String(error)),
    })
    /** Advances the database's clock, and waits until no work is due. Returns the messages that were sent. */
    async function advance(hours: number): Promise<string[]> {
      sentTexts.length = 0
      now += hours * HOUR_MS
      await process.runDueWork()
      return [...sentTexts]
    }
    const findState = async () => (await store.orders.find(WORKSPACE, 1))?.state

    await process.performAction('U1', { kind: 'request', orderReference: 'PO 1' })
    await advance(23)
    expect(await advance(2)).toEqual([expect.stringContaining('Reminder: order 1 is still waiting')])
    expect(await advance(24)).toEqual([])
    expect(await findState()).toBe('awaiting')
    expect((await advance(24)).at(-1)).toContain('Your order 1 expired')
    expect(await findState()).toBe('expired')
    const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 4 })
    expect(rows.map(({ verb, actor, outcome }) => `${verb} ${actor.userId} ${outcome}`)).toEqual([
      '/cert-order expire signalman done',
      '/cert-order remind signalman done',
      '/cert-order U1 done',
    ])
    expect(rows[0]).toMatchObject({
      before: { status: 'waiting for approval' },
      after: { status: 'expired' },
    })
    expect(await advance(1000)).toEqual([])
  },
)
