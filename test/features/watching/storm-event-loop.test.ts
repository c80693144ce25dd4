import { StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { createModel } from './model/model.ts'

const EXTRA_CHECKS = 1500

/** The most rows that SQLite reads and writes in one turn of the event loop during the work. */
async function measureMostInOneTurn(
  work: () => Promise<unknown>,
): Promise<{ read: number; written: number }> {
  const { all, run } = StatementSync.prototype
  const most = { read: 0, written: 0 }
  let current = { read: 0, written: 0 }
  StatementSync.prototype.all = function (...args) {
    const rows: ReturnType<typeof all> = Reflect.apply(all, this, args)
    current.read += rows.length
    return rows
  }
  StatementSync.prototype.run = function (...args) {
    const result: ReturnType<typeof run> = Reflect.apply(run, this, args)
    current.written += Number(result.changes)
    return result
  }
  let isOver = false
  const endTurn = (): void => {
    most.read = Math.max(most.read, current.read)
    most.written = Math.max(most.written, current.written)
    current = { read: 0, written: 0 }
    if (!isOver) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  try {
    await work()
    endTurn()
  } finally {
    isOver = true
    Object.assign(StatementSync.prototype, { all, run })
  }
  return most
}

it(`handles an outage of more than ${EXTRA_CHECKS} checks, its mute, and its end without blocking the event loop`, {
  timeout: 120_000,
}, async () => {
  await using model = await createModel({ extraChecks: EXTRA_CHECKS })
  await model.watch(0, 0, 1)
  await model.passMinute()
  const listCards = () => [...model.channels.messages.values()].map(({ model: card }) => card)
  const goingDown = await measureMostInOneTurn(async () => {
    model.setAllStatuses('UNHEALTHY')
    await model.passWithoutFaults(1)
  })
  expect(listCards()).toMatchObject([{ kind: 'card', total: EXTRA_CHECKS + 7, downCount: EXTRA_CHECKS + 7 }])
  const muting = await measureMostInOneTurn(() => model.mute(0, 0))
  const recovering = await measureMostInOneTurn(async () => {
    model.setAllStatuses('HEALTHY')
    await model.passWithoutFaults(3)
  })
  expect(listCards()).toMatchObject([{ kind: 'card', total: EXTRA_CHECKS + 7, downCount: 0 }])
  expect(model.faults).toEqual([])
  // Allows two pages of outages and a few other rows in one turn.
  for (const { read, written } of [goingDown, muting, recovering]) {
    expect(read).toBeLessThanOrEqual(1100)
    expect(written).toBeLessThanOrEqual(1100)
  }
})
