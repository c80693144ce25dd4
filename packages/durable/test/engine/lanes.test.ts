import { expect, it } from 'vitest'
import { createLanes, LANES, reservedSlots } from '../../src/engine/lanes.ts'

const hang = () => Promise.withResolvers<void>().promise

it.each(LANES)('keeps a slot in %s for another workspace, even if all running work hangs', (lane) => {
  const lanes = createLanes()
  const fillSlots = (id: string): number => {
    let count = 0
    for (; lanes.hasSlot(lane, id); count += 1) lanes.add(lane, id, hang())
    return count
  }
  const reserved = reservedSlots(lane)
  const counts = Array.from({ length: reserved }, (_, nth) => fillSlots(`T${nth}`))
  for (const count of counts) expect(count).toBeGreaterThanOrEqual(1)
  // A single workspace gets at most half of the unreserved slots, so workspaces that are only busy get the rest.
  expect(counts[0]).toBeLessThanOrEqual(Math.max(1, reserved / 2))
  expect(lanes.hasSlot(lane, 'T-next')).toBe(true)
})

it('lets work that belongs to no single workspace use every free slot', () => {
  const lanes = createLanes()
  for (let nth = 0; nth < 2 * reservedSlots('poll'); nth += 1) {
    expect(lanes.hasSlot('poll', '')).toBe(true)
    lanes.add('poll', '', hang())
  }
  expect(lanes.hasSlot('poll', '')).toBe(false)
})

it('needs no slot for work that someone is waiting for, and isn’t idle until that work is done', async () => {
  const lanes = createLanes()
  const unslotted = Promise.withResolvers<void>()
  const before = lanes.free('quick')
  lanes.addUnslotted(unslotted.promise)
  expect(lanes.free('quick')).toBe(before)
  let isIdle = false
  const idle = lanes.idle().then(() => {
    isIdle = true
  })
  await new Promise(setImmediate)
  expect(isIdle).toBe(false)
  unslotted.resolve()
  await idle
})
