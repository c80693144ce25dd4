import { StatementSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { createModel } from './model/model.ts'

const MANY = 1500

/** The most rows that SQLite gives, and takes, in one turn of the event loop while the work is done. */
async function mostInOneTurn(work: () => Promise<unknown>): Promise<{ read: number; written: number }> {
  const { all, run } = StatementSync.prototype
  const most = { read: 0, written: 0 }
  let now = { read: 0, written: 0 }
  StatementSync.prototype.all = function (...given) {
    const rows: ReturnType<typeof all> = Reflect.apply(all, this, given)
    now.read += rows.length
    return rows
  }
  StatementSync.prototype.run = function (...given) {
    const done: ReturnType<typeof run> = Reflect.apply(run, this, given)
    now.written += Number(done.changes)
    return done
  }
  let isOver = false
  const turn = (): void => {
    most.read = Math.max(most.read, now.read)
    most.written = Math.max(most.written, now.written)
    now = { read: 0, written: 0 }
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

it(`handles an outage of ${MANY} checks, its mute, and its end without blocking the event loop`, {
  timeout: 120_000,
}, async () => {
  await using model = await createModel({ more: MANY })
  await model.watch(0, 0, 1)
  await model.minute()
  const shown = () => [...model.channels.standing.values()].map(({ model: card }) => card)
  const falling = await mostInOneTurn(async () => {
    model.all('UNHEALTHY')
    await model.quietly(1)
  })
  expect(shown()).toMatchObject([{ kind: 'many', total: MANY + 7, stillDown: MANY + 7 }])
  const muting = await mostInOneTurn(() => model.mute(0, 0))
  const rising = await mostInOneTurn(async () => {
    model.all('HEALTHY')
    await model.quietly(3)
  })
  expect(shown()).toMatchObject([{ kind: 'many', total: MANY + 7, stillDown: 0 }])
  expect(model.faults).toEqual([])
  // Two pages of what a card tells, or of what is known, and a few rows around them; a part of a poll is smaller.
  for (const { read, written } of [falling, muting, rising]) {
    expect(read).toBeLessThanOrEqual(1100)
    expect(written).toBeLessThanOrEqual(1100)
  }
})
