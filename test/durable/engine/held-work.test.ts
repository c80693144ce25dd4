import { expect, it } from 'vitest'
import { createHoldings, LeaseLost } from '../../../packages/durable/src/engine/held-work.ts'
import { createRelease } from '../../../packages/durable/src/engine/release-work.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import { createLog } from '../../../src/log.ts'

const work = { id: 'w', kind: 'k', workspaceId: 'T1', attempts: 1, wantsStop: false } as Work

it('applies a heartbeat’s answer only to work that was held when it was sent', () => {
  const holdings = createHoldings('me')
  const first = holdings.hold(work)
  const heldThen = holdings.all()
  holdings.drop(first)
  const next = holdings.hold(work)
  holdings.renewed(new Map(), heldThen)
  expect(next.signal.aborted).toBe(false)
  holdings.renewed(new Map([['w', true]]), heldThen)
  expect(next.wantsStop()).toBe(false)
  holdings.renewed(new Map(), holdings.all())
  expect(next.signal.reason).toBeInstanceOf(LeaseLost)
})

it('doesn’t release work that this process lost and claimed again', async () => {
  const holdings = createHoldings('me')
  const released: unknown[] = []
  const release = createRelease({
    store: { release: async (...given) => void released.push(given) },
    owner: 'me',
    holdings,
    log: createLog('silent'),
    isStopping: () => false,
  })
  const lost = holdings.hold(work)
  const next = holdings.hold(work)
  await release(lost, { state: 'done' })
  expect(released).toEqual([])
  expect(holdings.find('w')).toBe(next)
  await release(next, { state: 'done' })
  expect(released).toEqual([['w', 'me', { state: 'done' }]])
  expect(holdings.find('w')).toBeUndefined()
})
