import { expect, it } from 'vitest'
import { watchSilentOwners } from '../../src/work/silent-owners.ts'

const lease = (heldUntil: string, isOver = true) => ({
  id: 'w',
  workspaceId: 'T1',
  kind: 'k',
  owner: 'other',
  heldUntil,
  isOver,
})

it('takes work for abandoned only when its lease is over and no sign of life came for as long by the own stopwatch', () => {
  let at = 0
  const watch = watchSilentOwners(6000, () => at)
  expect(watch.abandonedOf([lease('1')])).toEqual([])
  at = 5999
  expect(watch.abandonedOf([lease('1')])).toEqual([])
  // A sign of life, although a clock that jumped says that the lease is over.
  at = 6000
  expect(watch.abandonedOf([lease('2')])).toEqual([])
  at = 11_999
  expect(watch.abandonedOf([lease('2')])).toEqual([])
  at = 12_000
  expect(watch.abandonedOf([lease('2', false)])).toEqual([])
  expect(watch.abandonedOf([lease('2')])).toEqual([lease('2')])
})

it('begins to watch anew when the database was away: signs of life may have been missed', () => {
  let at = 0
  const watch = watchSilentOwners(6000, () => at)
  watch.abandonedOf([lease('1')])
  at = 10_000
  watch.forget()
  expect(watch.abandonedOf([lease('1')])).toEqual([])
  at = 16_000
  expect(watch.abandonedOf([lease('1')])).toEqual([lease('1')])
})
