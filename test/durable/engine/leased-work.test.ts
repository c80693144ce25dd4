import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { createRelease } from '../../../packages/durable/src/engine/release-work.ts'
import { retryUntilAvailable } from '../../../packages/durable/src/work/retry-until-available.ts'
import { LeaseLost } from '../../../packages/durable/src/work/steps.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import { createLog } from '../../../src/log.ts'

const work = { id: 'w', kind: 'k', workspaceId: 'T1', attempts: 1, wantsStop: false } as Work

it('applies a heartbeat’s result only to leases that existed when the heartbeat was sent', () => {
  const leasedWork = trackLeasedWork('me')
  const first = leasedWork.add(work)
  const sentFor = leasedWork.all()
  leasedWork.drop(first)
  const currentWork = leasedWork.add(work)
  leasedWork.applyHeartbeat(new Map(), sentFor)
  expect(currentWork.signal.aborted).toBe(false)
  leasedWork.applyHeartbeat(new Map([['w', true]]), sentFor)
  expect(currentWork.wantsStop()).toBe(false)
  leasedWork.applyHeartbeat(new Map(), leasedWork.all())
  expect(currentWork.signal.reason).toBeInstanceOf(LeaseLost)
  expect(leasedWork.add({ ...work, wantsStop: true }).wantsStop()).toBe(true)
})

it('doesn’t release reclaimed work when the run that lost it finishes', async () => {
  const leasedWork = trackLeasedWork('me')
  const released: unknown[] = []
  const release = createRelease({
    store: { release: async (...parameters) => void released.push(parameters) },
    owner: 'me',
    leasedWork,
    log: createLog('silent'),
    isStopping: () => false,
  })
  const lostWork = leasedWork.add(work)
  const currentWork = leasedWork.add(work)
  await release(lostWork, { state: 'done' })
  expect(released).toEqual([])
  expect(leasedWork.find('w')).toBe(currentWork)
  await release(currentWork, { state: 'done' })
  expect(released).toEqual([['w', 'me', { state: 'done' }]])
  expect(leasedWork.find('w')).toBeUndefined()
})

it('lets other work run before it tries to reach the database again', async () => {
  let hasOtherRun = false
  setTimeout(() => {
    hasOtherRun = true
  }, 0)
  const attempts: boolean[] = []
  await retryUntilAvailable(
    async () => {
      attempts.push(hasOtherRun)
      if (attempts.length === 1) throw new Error('The database is down.')
    },
    { timeoutMs: 60_000 },
  )
  expect(attempts).toEqual([false, true])
})
