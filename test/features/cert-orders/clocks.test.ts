import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { orders as orderCalls } from '../../../src/service/orders.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, halfOf } from '../../long.ts'
import { createRecordingSlack, startOrderProcess, WORKSPACE } from './order-process.ts'

const ANSWER = '{"data":{"id":"500001"}}'
const HOUR_MS = 3_600_000
// Only used to build a body, so it never connects.
const { formatBody } = orderCalls(undefined as never)

describe.each(eitherOf(SHARED_DATABASES))('two processes on $name', ({ start }) => {
  it.each(
    halfOf([
      [0, 95_000],
      [0, -95_000],
      [2 * HOUR_MS, -2 * HOUR_MS],
      [0, 2 * HOUR_MS],
    ] as const),
  )(
    'send an order once with clocks off by %i and %i ms, and refuse other decisions while it’s being sent',
    async (first, second) => {
      await using database = await start()
      await using store = await openStore(database)
      await using otherStore = await openStore(database)
      const sent = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<string>()
      let posts = 0
      const create = (): Promise<string> => {
        posts += 1
        sent.resolve()
        return answer.promise
      }
      const { poster } = createRecordingSlack()
      const fakes = { api: { orders: { formatBody, create } }, poster, roles: new Set(['U2', 'U3']) }
      const createSkewedClock = (ms: number) => () => new Date(Date.now() + ms)
      await using sender = startOrderProcess({ store, fakes, now: createSkewedClock(first) })
      // The other process polls constantly for work and doesn't wait long for an outcome.
      const times = { pollMs: 5, waitMs: 50 }
      await using other = startOrderProcess({
        store: otherStore,
        fakes,
        now: createSkewedClock(second),
        times,
      })
      const orders = store.orders
      await other.performAction('U1', { kind: 'request', orderReference: 'PO 1' })
      const [order] = await orders.list({ workspaceId: WORKSPACE, limit: 1 })
      const hash = order?.bodyHash ?? ''
      const approving = sender.performAction('U2', { kind: 'approve', number: 1, hash })
      await sent.promise
      for (const [index, process] of [sender, other, other].entries()) {
        const competingActions = [
          { kind: 'resolve', number: 1, finding: 'failed' },
          { kind: 'approve', number: 1, hash },
        ] as const
        const refused = await process.performAction('U3', competingActions[index % 2] ?? competingActions[0])
        expect(String(refused)).toMatch(/record an outcome only|no longer waiting for a decision/)
      }
      expect((await orders.list({ workspaceId: WORKSPACE, limit: 5 })).map(({ state }) => state)).toEqual([
        'submitting',
      ])
      answer.resolve(ANSWER)
      expect(await approving).toMatchObject({ state: 'received' })
      expect(posts).toBe(1)
    },
  )
})
