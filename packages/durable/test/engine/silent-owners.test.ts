import { expect, it } from 'vitest'
import { watchSilentOwners } from '../../src/engine/take-over.ts'

const lease = (seenAt: string) => ({
  id: 'w',
  workspaceId: 'T1',
  kind: 'k',
  owner: 'other',
  seenAt,
  wantsStop: false,
})

it('takes over work only after a full lease without heartbeats, measured on the local clock', () => {
  let at = 0
  const watch = watchSilentOwners(6000, () => at)
  expect(watch.findAbandoned([lease('1')])).toEqual([])
  at = 5999
  expect(watch.findAbandoned([lease('1')])).toEqual([])
  at = 6000
  expect(watch.findAbandoned([lease('2')])).toEqual([])
  at = 11_999
  expect(watch.findAbandoned([lease('2')])).toEqual([])
  at = 12_000
  expect(watch.findAbandoned([lease('2')])).toEqual([lease('2')])
})

it('restarts the lease timeout after a database outage, because heartbeats may have been missed', () => {
  let at = 0
  const watch = watchSilentOwners(6000, () => at)
  watch.findAbandoned([lease('1')])
  at = 10_000
  watch.reset()
  expect(watch.findAbandoned([lease('1')])).toEqual([])
  at = 16_000
  expect(watch.findAbandoned([lease('1')])).toEqual([lease('1')])
})
