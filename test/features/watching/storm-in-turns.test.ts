import { StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { createModel } from './model/model.ts'

const CHECKS = 1500

/** The most rows that SQLite reads and writes in one turn of the event loop during the work. */
async function measureMostInOneTurn(
  work: () => Promise<unknown>,
): Promise<{ read: number; written: number }> {
  const { all, run } = StatementSync.prototype
  const most = { read: 0, written: 0 }
  let current = { read: 0, written: 0 }
  StatementSync.prototype.all = function (...given) {
    const rows: ReturnType<typeof all> = Reflect.apply(all, this, given)
    current.read += rows.length
    return rows
  }
  StatementSync.prototype.run = function (...given) {
    const done: ReturnType<typeof run> = Reflect.apply(run, this, given)
    current.written += Number(done.changes)
    return done
  }
  let isOver = false
  const turn = (): void => {
    most.read = Math.max(most.read, current.read)
    most.written = Math.max(most.written, current.written)
    current = { read: 0, written: 0 }
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
    turn()
  } finally {
    isOver = true
    Object.assign(StatementSync.prototype, { all, run })
  }
  return most
}

it(`handles an outage of ${CHECKS} checks, its mute, and its end without blocking the event loop`, {
  timeout: 120_000,
}, async () => {
  await using model = await createModel({ more: CHECKS })
  await model.watch(0, 0, 1)
  await model.minute()
  const shown = () => [...model.channels.messages.values()].map(({ model: card }) => card)
  const goingDown = await measureMostInOneTurn(async () => {
    model.all('UNHEALTHY')
    await model.quietly(1)
  })
  expect(shown()).toMatchObject([{ kind: 'many', total: CHECKS + 7, stillDown: CHECKS + 7 }])
  const muting = await measureMostInOneTurn(() => model.mute(0, 0))
  const recovering = await measureMostInOneTurn(async () => {
    model.all('HEALTHY')
    await model.quietly(3)
  })
  expect(shown()).toMatchObject([{ kind: 'many', total: CHECKS + 7, stillDown: 0 }])
  expect(model.faults).toEqual([])
  // Two pages of a card's outages or of open outages, and a few other rows. A part of a poll is smaller.
  for (const { read, written } of [goingDown, muting, recovering]) {
    expect(read).toBeLessThanOrEqual(1100)
    expect(written).toBeLessThanOrEqual(1100)
  }
})
