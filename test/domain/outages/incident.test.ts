import { expect, it } from 'vitest'
import { type Incident, observe, type Sighting } from '../../../src/domain/outages/incident.ts'

const MINUTE_MS = 60_000
const BEGIN = new Date('2026-11-20T12:00:00.000Z')
const at = (minute: number) => new Date(BEGIN.getTime() + minute * MINUTE_MS)
const SHOP = { uuid: 'a', name: 'shop' }

function poll(known: Incident | undefined, minute: number, isBad: boolean): Incident | undefined {
  const sighting: Sighting = {
    at: at(minute),
    seenSince: at(-600),
    isFirst: false,
    bad: new Map(isBad ? [[SHOP.uuid, SHOP]] : []),
    good: new Set(isBad ? [] : [SHOP.uuid]),
    installing: new Set(),
    deleted: new Set(),
  }
  const [changed = known] = observe(new Map(known && [[SHOP.uuid, known]]), sighting, () => 'id')
  return changed?.closedAt ? undefined : changed
}

/** Down for five minutes by a clock that is ahead, with Bea on it, and seen up at the end of them. */
function recover(aheadMinutes: number): Incident | undefined {
  const fallen = poll(undefined, aheadMinutes, true)
  const onIt = { by: 'U1', name: 'Bea', at: at(aheadMinutes + 1) }
  return poll(fallen && { ...fallen, onIt }, aheadMinutes + 5, false)
}

it.each([-120, -0.1, 0, 0.1, 9, 29, 31, 120, 100_000])(
  'ends an outage in time, and leaves none of it in the future, if the clock was %d min ahead and is set right',
  (aheadMinutes) => {
    let open = recover(aheadMinutes)
    for (let minute = 6; minute <= 5 + 31 && open; minute += 1) {
      open = poll(open, minute, false)
      expect(open?.downs.every(({ from, to = from }) => from <= to && to <= at(minute)) ?? true).toBe(true)
    }
    expect(open).toBeUndefined()
  },
)

it.each([-120, 0, 0.1, 3, 40, 120, 100_000])(
  'releases whoever was on it in time, if the clock was %d min ahead and is set right',
  (aheadMinutes) => {
    let open = recover(aheadMinutes)
    for (let minute = 6; open; minute += 1) {
      if (minute >= 5 + 11) expect(poll(open, minute, true)?.onIt).toBeUndefined()
      open = poll(open, minute, false)
    }
  },
)

it.each([0, 0.1, 4])('keeps who is on it over a short recovery, if the clock was %d min ahead', (ahead) => {
  expect(poll(recover(ahead), 5 + 5, true)?.onIt?.name).toBe('Bea')
  expect(poll(recover(ahead), 5 + 25, false)).toBeDefined()
})
