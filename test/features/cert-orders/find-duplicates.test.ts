import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { shouldAlert } from '../../../src/features/cert-orders/find-duplicates.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { createModel } from './model.ts'

const HOUR_MS = 3_600_000

/** Starts two processes whose clocks are off. The first sends order 1 and is suspended. The second takes over, and gives up waiting for the outcome. */
async function startWithLateAnswer(
  database: { url: string; keys: string },
  skews: readonly [number, number],
  ask: 'request' | 'renew' = 'request',
) {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
  const deps = { ...database, clock: () => new Date(clock.now) }
  const stores = [started.use(await openStore(deps)), started.use(await openStore(deps))] as const
  const model = await createModel(stores, clock, skews)
  await model[ask](0, 'UREQUESTER')
  model.reply('late')
  await model.approve(0, 0, 'UANN', 1, false)
  await expect.poll(model.posts).toBe(1)
  // The second process takes over, waits, and gives up. Repeated, because a busy machine may need more than one run.
  const advanceAndRun = async () => {
    model.advanceClock(40_000)
    await model.runDueWork(1)
    return model.states()
  }
  await expect.poll(advanceAndRun).toEqual(['unknown'])
  const resources = started.move()
  return { model, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

type Model = Awaited<ReturnType<typeof createModel>>

/**
 * Waits until this many messages match, and returns them. Either process may send them: the first reports its late answer,
 * and the second one looks for remaining work.
 */
async function waitForMessages(model: Model, words: RegExp, times: number): Promise<string[]> {
  const listMatches = () => model.sentTexts.filter((text) => words.test(text))
  const runAndCount = async () => {
    await model.runDueWork(1)
    return listMatches().length
  }
  await expect.poll(runAndCount).toBe(times)
  return listMatches()
}

const SKEWS = [
  [0, 95_000],
  [-95_000, 95_000],
  [2 * HOUR_MS, -2 * HOUR_MS],
] as const
const CASES = SHARED_DATABASES.flatMap((database) => SKEWS.map((skews) => ({ ...database, skews })))

it.each(CASES)(
  'never places an order again while its sender may still be working on it ($name, clocks wrong by $skews)',
  async ({ start, skews }) => {
    await using database = await start()
    await using started = await startWithLateAnswer(database, skews)
    const { model } = started
    expect(await model.states()).toEqual(['unknown'])
    await model.resolve(1, 0, 'UBO', 'failed', undefined)
    await model.resolve(0, 0, 'UANN', 'failed', undefined)
    expect([await model.states(), model.posts()]).toEqual([['unknown'], 1])
    // The first process resumes and reports the result of its POST.
    model.answerLate()
    await expect.poll(model.states).toEqual(['placed'])
    expect(await model.finish()).toEqual([])
    expect(model.posts()).toBe(1)
  },
)

it.each([
  { shared: 'key', ask: 'request' },
  { shared: 'certificate', ask: 'renew' },
] as const)(
  'alerts people if two orders for the same $shared were placed because the first was wrongly recorded as failed',
  async (row) => {
    await using database = await SHARED_DATABASES[0]?.start()
    if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
    await using started = await startWithLateAnswer(database, [0, 0], row.ask)
    const { model } = started
    await model.resolve(1, 0, 'UBO', 'failed', 'Support sees no order, and the machine is off.')
    await model[row.ask](1, 'UREQUESTER')
    await model.approve(1, 0, 'UANN', 1, false)
    expect([await model.states(), model.posts()]).toEqual([['placed', 'failed'], 2])
    model.advanceClock(1000)
    model.answerLate()
    await expect.poll(model.states).toEqual(['placed', 'placed'])
    const alerts = await waitForMessages(model, /^🚨/u, 2)
    const words = `Order 1 was placed, and another one for the same ${row.shared} may have been placed too: order 2`
    expect(alerts[0]).toContain(words)
    expect(await model.finish()).toEqual([])
  },
)

it('alerts people only for the later of two orders, and for both if they were placed at the same time', () => {
  const NOON = Date.parse('2026-03-01T12:00:00.000Z')
  // Cast, because only these fields are read.
  const placedAt = (ms: number) => ({ state: 'placed', placedAt: new Date(NOON + ms) }) as Order
  expect(shouldAlert(placedAt(0), [placedAt(-1)])).toBe(true)
  expect(shouldAlert(placedAt(0), [placedAt(0)])).toBe(true)
  expect(shouldAlert(placedAt(0), [placedAt(1)])).toBe(false)
})

it('doesn’t place a renewal after an earlier one, recorded as failed, turns out to have been placed', async () => {
  await using database = await SHARED_DATABASES[0]?.start()
  if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
  await using started = await startWithLateAnswer(database, [0, 0], 'renew')
  const { model } = started
  await model.renew(1, 'UREQUESTER')
  expect(await model.states()).toEqual(['unknown'])
  await model.resolve(1, 0, 'UBO', 'failed', 'Support sees no order.')
  await model.renew(1, 'UREQUESTER')
  // The answer names the new certificate, and order 2 must still be recognized as a renewal of the same old one.
  model.answerLate()
  await expect.poll(model.states).toEqual(['awaiting', 'placed'])
  await model.approve(1, 0, 'UANN', 1, false)
  expect([await model.states(), model.posts()]).toEqual([['awaiting', 'placed'], 1])
})

it.each([
  {
    said: 'placed' as const,
    words: /UBO had recorded it as placed\. The service has since confirmed it\./,
  },
  {
    said: 'failed' as const,
    words: /UBO had recorded it as not placed\. The service has since answered that it was placed\./,
  },
])(
  'corrects the recorded outcome $said after a late response, and notifies everyone involved',
  async ({ said, words }) => {
    await using database = await SHARED_DATABASES[0]?.start()
    if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
    await using started = await startWithLateAnswer(database, [0, 0])
    const { model } = started
    await model.resolve(1, 0, 'UBO', said, 'Support told me so.')
    expect(await model.states()).toEqual([said])
    await model.runDueWork(1)
    model.answerLate()
    await expect
      .poll(async () => (await model.outcomes())[0])
      .toMatchObject({
        kind: 'placed',
        placed: { id: 'placed-1', certificateId: '900' },
        corrects: { by: 'UBO', said },
      })
    // The approvals channel, the person who recorded it, and the requester.
    const messages = await waitForMessages(model, words, 3)
    expect(messages.filter((text) => text.startsWith('🟢 Order 1 is placed'))).toHaveLength(2)
    expect(await model.finish()).toEqual([])
  },
)
