import { expect, it } from 'vitest'
import { watchAbandoned } from '../../src/work/abandoned.ts'

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
  const watch = watchAbandoned(6000, () => at)
  expect(watch.look([lease('1')])).toEqual([])
  at = 5999
  expect(watch.look([lease('1')])).toEqual([])
  // A sign of life, although a clock that jumped says that the lease is over.
  at = 6000
  expect(watch.look([lease('2')])).toEqual([])
  at = 11_999
  expect(watch.look([lease('2')])).toEqual([])
  at = 12_000
  expect(watch.look([lease('2', false)])).toEqual([])
  expect(watch.look([lease('2')])).toEqual([lease('2')])
})

it('begins to watch anew when the database was away: signs of life may have been missed', () => {
  let at = 0
  const watch = watchAbandoned(6000, () => at)
  watch.look([lease('1')])
  at = 10_000
  watch.forget()
  expect(watch.look([lease('1')])).toEqual([])
  at = 16_000
  expect(watch.look([lease('1')])).toEqual([lease('1')])
})
