import { expect, it } from 'vitest'
import { LeaseLost, trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { createRelease } from '../../../packages/durable/src/engine/release-work.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import { createLog } from '../../../src/log.ts'

const work = { id: 'w', kind: 'k', workspaceId: 'T1', attempts: 1, wantsStop: false } as Work

it('applies a heartbeat’s answer only to work that was held when it was sent', () => {
  const leasedWork = trackLeasedWork('me')
  const first = leasedWork.add(work)
  const sentFor = leasedWork.all()
  leasedWork.drop(first)
  const next = leasedWork.add(work)
  leasedWork.applyHeartbeat(new Map(), sentFor)
  expect(next.signal.aborted).toBe(false)
  leasedWork.applyHeartbeat(new Map([['w', true]]), sentFor)
  expect(next.wantsStop()).toBe(false)
  leasedWork.applyHeartbeat(new Map(), leasedWork.all())
  expect(next.signal.reason).toBeInstanceOf(LeaseLost)
})

it('doesn’t release work that this process lost and claimed again', async () => {
  const leasedWork = trackLeasedWork('me')
  const released: unknown[] = []
  const release = createRelease({
    store: { release: async (...given) => void released.push(given) },
    owner: 'me',
    leasedWork,
    log: createLog('silent'),
    isStopping: () => false,
  })
  const lost = leasedWork.add(work)
  const next = leasedWork.add(work)
  await release(lost, { state: 'done' })
  expect(released).toEqual([])
  expect(leasedWork.find('w')).toBe(next)
  await release(next, { state: 'done' })
  expect(released).toEqual([['w', 'me', { state: 'done' }]])
  expect(leasedWork.find('w')).toBeUndefined()
})
