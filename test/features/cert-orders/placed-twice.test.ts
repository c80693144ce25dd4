import { expect, it } from 'vitest'
import { openStore } from '../../../src/store/store.ts'
import { SHARED_DATABASES } from '../../store/databases.ts'
import { createModel } from './model.ts'

const HOUR_MS = 3_600_000

/** Two processes with clocks that are wrong by so much; the first sends order 1 and then stands still, and is given up. */
async function startSilent(database: { url: string; keys: string }, skews: readonly [number, number]) {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
  const parts = { ...database, clock: () => new Date(clock.now) }
  const stores = [started.use(await openStore(parts)), started.use(await openStore(parts))] as const
  const model = await createModel(stores, clock, skews)
  await model.request(0, 'UREQUESTER')
  model.reply('late')
  await model.approve(0, 0, 'UANN', 1, false)
  await expect.poll(model.posts).toBe(1)
  // Taken over, waited for, given up.
  for (const _ of [1, 2, 3]) {
    model.pass(40_000)
    await model.keep(1)
  }
  const everything = started.move()
  return { model, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

const SKEWS = [
  [0, 95_000],
  [-95_000, 95_000],
  [2 * HOUR_MS, -2 * HOUR_MS],
] as const
const CASES = SHARED_DATABASES.flatMap((database) => SKEWS.map((skews) => ({ ...database, skews })))

it.each(CASES)(
  'nobody places an order again whose sender may still be at it ($name, clocks wrong by $skews)',
  async ({ start, skews }) => {
    await using database = await start()
    await using silent = await startSilent(database, skews)
    const { model } = silent
    expect(await model.states()).toEqual(['unknown'])
    await model.resolve(1, 0, 'UBO', 'again', undefined)
    await model.resolve(0, 0, 'UANN', 'failed', undefined)
    expect([await model.states(), model.posts()]).toEqual([['unknown'], 1])
    // It comes to an end after all, and says what became of its one request.
    model.answerLate()
    await expect.poll(model.states).toEqual(['placed'])
    expect(await model.finish()).toEqual([])
    expect(model.posts()).toBe(1)
  },
)

it('two placements that are found later alarm those who decide and whoever asked', async () => {
  await using database = await SHARED_DATABASES[0]?.start()
  if (!database) throw new Error('There is a SQLite file.')
  await using silent = await startSilent(database, [0, 0])
  const { model } = silent
  await model.resolve(1, 0, 'UBO', 'again', 'Support sees no order, and the machine is off.')
  expect([await model.states(), model.posts()]).toEqual([['placed', 'failed'], 2])
  model.pass(1000)
  model.answerLate()
  await expect.poll(model.states).toEqual(['placed', 'placed'])
  await model.keep(1)
  const alarms = model.told.filter((text) => text.startsWith('🚨'))
  // The approvals channel, and the requester.
  expect(alarms).toHaveLength(2)
  expect(alarms[0]).toContain('Order 1 is placed, and so may be another one')
  expect(alarms[0]).toContain('order 2: placed')
  expect(await model.finish()).toEqual([])
})

it('an order in the place of one that was placed after all is not placed any more', async () => {
  await using database = await SHARED_DATABASES[0]?.start()
  if (!database) throw new Error('There is a SQLite file.')
  await using silent = await startSilent(database, [0, 0])
  const { model } = silent
  await model.rules({ approvals: 2 })
  await model.resolve(1, 0, 'UBO', 'again', 'Support sees no order.')
  expect(await model.states()).toEqual(['awaiting', 'failed'])
  model.answerLate()
  await expect.poll(model.states).toEqual(['awaiting', 'placed'])
  await model.approve(1, 0, 'UANN', 1, false)
  expect([await model.states(), model.posts()]).toEqual([['awaiting', 'placed'], 1])
  await model.keep(1)
  expect(model.told.some((text) => text.startsWith('🚨') && text.includes('order 2: awaiting'))).toBe(true)
})
