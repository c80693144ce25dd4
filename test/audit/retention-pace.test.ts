import { describe, expect, it } from 'vitest'
import {
  APPROVED_UP_TO,
  applyRetention,
  createRunningTime,
  ROWS_LEFT,
} from '../../src/bot/retention/audit-retention.ts'
import { createLog } from '../../src/log.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { AuditedDatabase } from './audited.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LOG = createLog('silent')

/** A log with one row a day for ten days, kept for 365 days. */
async function fillDaily(world: AuditedDatabase): Promise<void> {
  await world.setRetention('T1', 365)
  for (let day = 0; day < 10; day += 1) {
    world.now += DAY_MS
    await world.append('T1')
  }
}

const countRows = async (world: AuditedDatabase) => (await (await world.open()).audit.verify('T1')).rows
const sweepOnce = async (world: AuditedDatabase, runningMs: number) =>
  applyRetention(await world.open(), LOG, () => runningMs)

describe.each(SHARED_DATABASES)('retention on $name', ({ start }) => {
  it('deletes two days of rows at most per twenty hours of running time, whatever the clock says', async () => {
    await using world = new AuditedDatabase(await start())
    await fillDaily(world)
    const before = await countRows(world)
    const rightTime = world.now
    world.now = rightTime + 400 * DAY_MS
    // The clock is wrong for nineteen hourly sweeps.
    for (let sweep = 0; sweep < 20; sweep += 1) await sweepOnce(world, sweep === 0 ? 0 : HOUR_MS)
    // The rows of two days went, and the row that records it came.
    expect(await countRows(world)).toBe(before - 2 + 1)
    const { settings } = await world.open()
    expect(await settings.get('T1', ROWS_LEFT)).toBeGreaterThan(0)
    world.now = rightTime
    for (let sweep = 0; sweep < 30; sweep += 1) await sweepOnce(world, HOUR_MS)
    expect(await countRows(world)).toBe(before - 2 + 1)
    expect((await world.verify('alone')).at(-1)).toBe('The audit log is intact.')
  })

  it('deletes what an admin agreed to at once, up to the row that was old enough then', async () => {
    await using world = new AuditedDatabase(await start())
    await fillDaily(world)
    world.now += 100 * DAY_MS
    const { audit, settings } = await world.open()
    const { rows, last } = await audit.findOlderThan('T1', 90)
    expect(rows).toBe(11)
    await world.setRetention('T1', 90)
    await settings.set('T1', APPROVED_UP_TO, last)
    await sweepOnce(world, 0)
    // What is left: the row of the decision, and the one that records the removal.
    expect(await countRows(world)).toBe(2)
    for (let day = 0; day < 5; day += 1) {
      world.now += DAY_MS
      await world.append('T1')
    }
    const before = await countRows(world)
    world.now += 400 * DAY_MS
    await sweepOnce(world, 20 * HOUR_MS)
    expect(await countRows(world)).toBeGreaterThanOrEqual(before - 2)
  })
})

it('counts the time that a process runs, and no more than an hour between two sweeps', () => {
  let now = 5 * HOUR_MS
  const measure = createRunningTime(() => now)
  expect(measure()).toBe(1.1 * HOUR_MS)
  now += HOUR_MS / 2
  expect(measure()).toBe(HOUR_MS / 2)
  now -= HOUR_MS
  expect(measure()).toBe(0)
})
