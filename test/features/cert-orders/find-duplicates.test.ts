import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { shouldAlertAboutDuplicates } from '../../../src/features/cert-orders/read-order-details.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { createModel } from './model.ts'

const HOUR_MS = 3_600_000

/**
 * Starts two processes whose clocks are off. The first one sends order 1 and is suspended before it gets the answer. The second one
 * takes over, and records the outcome as unknown.
 */
async function startWithLateAnswer(
  database: { url: string; keys: string },
  skews: readonly [number, number],
  action: 'request' | 'renew' = 'request',
) {
  await using started = new AsyncDisposableStack()
  const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
  const deps = { ...database, clock: () => new Date(clock.now) }
  const stores = [started.use(await openStore(deps)), started.use(await openStore(deps))] as const
  const model = await createModel(stores, clock, skews)
  await model[action](0, 'UREQUESTER')
  model.setNextReply('late')
  await model.approve(0, 0, 'UANN', 1, false)
  await expect.poll(model.posts).toBe(1)
  // Repeated, because on a busy machine the second process may need several runs until it gives up.
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

/** Waits until this many messages match, and returns them. Either process may send them, so the second one keeps working too. */
async function waitForMessages(model: Model, pattern: RegExp, count: number): Promise<string[]> {
  const listMatches = () => model.sentTexts.filter((text) => pattern.test(text))
  const runAndCount = async () => {
    await model.runDueWork(1)
    return listMatches().length
  }
  await expect.poll(runAndCount).toBe(count)
  return listMatches()
}

const SKEWS = [
  [0, 95_000],
  [-95_000, 95_000],
  [2 * HOUR_MS, -2 * HOUR_MS],
] as const
const CASES = eitherOf(SHARED_DATABASES).flatMap((database) =>
  eitherOf(SKEWS).map((skews) => ({ ...database, skews })),
)

it.each(CASES)(
  'never sends an order again while its sender may still be working on it ($name, clocks off by $skews ms)',
  async ({ start, skews }) => {
    await using database = await start()
    await using started = await startWithLateAnswer(database, skews)
    const { model } = started
    expect(await model.states()).toEqual(['unknown'])
    await model.resolve(1, 0, 'UBO', 'failed', undefined)
    await model.resolve(0, 0, 'UANN', 'failed', undefined)
    expect([await model.states(), model.posts()]).toEqual([['unknown'], 1])
    // The first process resumes, and stores the answer to its POST.
    model.deliverLateAnswers()
    await expect.poll(model.states).toEqual(['received'])
    expect(await model.finish()).toEqual([])
    expect(model.posts()).toBe(1)
  },
)

it.each(
  eitherOf([
    { shared: 'key', action: 'request' },
    { shared: 'certificate', action: 'renew' },
  ] as const),
)(
  'alerts people if two orders for the same $shared were placed because the first was wrongly recorded as failed',
  async (row) => {
    await using database = await SHARED_DATABASES[0]?.start()
    if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
    await using started = await startWithLateAnswer(database, [0, 0], row.action)
    const { model } = started
    await model.resolve(1, 0, 'UBO', 'failed', 'Support sees no order, and the machine is off.')
    await model[row.action](1, 'UREQUESTER')
    await model.approve(1, 0, 'UANN', 1, false)
    expect([await model.states(), model.posts()]).toEqual([['received', 'failed'], 2])
    model.advanceClock(1000)
    model.deliverLateAnswers()
    await expect.poll(model.states).toEqual(['received', 'received'])
    const alerts = await waitForMessages(model, /^🚨/u, 2)
    expect(alerts[0]).toContain(
      `The service has order 1, and may have another one for the same ${row.shared}: order 2`,
    )
    expect(await model.finish()).toEqual([])
  },
)

it('raises the alert for the order placed last, or for both if they were placed at the same time', () => {
  const NOON = Date.parse('2026-03-01T12:00:00.000Z')
  // Cast, because only these fields are read.
  const receivedAt = (ms: number) => ({ state: 'received', receivedAt: new Date(NOON + ms) }) as Order
  expect(shouldAlertAboutDuplicates(receivedAt(0), [receivedAt(-1)])).toBe(true)
  expect(shouldAlertAboutDuplicates(receivedAt(0), [receivedAt(0)])).toBe(true)
  expect(shouldAlertAboutDuplicates(receivedAt(0), [receivedAt(1)])).toBe(false)
})

it('doesn’t place a second renewal if the first was recorded as failed, but was actually placed', async () => {
  await using database = await SHARED_DATABASES[0]?.start()
  if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
  await using started = await startWithLateAnswer(database, [0, 0], 'renew')
  const { model } = started
  await model.renew(1, 'UREQUESTER')
  expect(await model.states()).toEqual(['unknown'])
  await model.resolve(1, 0, 'UBO', 'failed', 'Support sees no order.')
  await model.renew(1, 'UREQUESTER')
  // The answer has the new certificate's ID. Order 2 must still be recognized as a renewal of the old certificate.
  model.deliverLateAnswers()
  await expect.poll(model.states).toEqual(['awaiting', 'received'])
  await model.approve(1, 0, 'UANN', 1, false)
  expect([await model.states(), model.posts()]).toEqual([['awaiting', 'received'], 1])
})

it.each(
  eitherOf([
    {
      recorded: 'received' as const,
      pattern: /UBO had recorded that the service has it\. The service has since confirmed it\./,
    },
    {
      recorded: 'failed' as const,
      pattern: /UBO had recorded that it failed\. The service has since given it an ID\./,
    },
  ]),
)(
  'replaces the recorded outcome $recorded with the service’s late answer, and notifies everyone involved',
  async ({ recorded, pattern }) => {
    await using database = await SHARED_DATABASES[0]?.start()
    if (!database) throw new Error('SHARED_DATABASES has no SQLite file.')
    await using started = await startWithLateAnswer(database, [0, 0])
    const { model } = started
    await model.resolve(1, 0, 'UBO', recorded, 'Support told me so.')
    expect(await model.states()).toEqual([recorded])
    await model.runDueWork(1)
    model.deliverLateAnswers()
    await expect
      .poll(async () => (await model.outcomes())[0])
      .toMatchObject({
        kind: 'received',
        answered: { id: 'placed-1' },
        corrects: { by: 'UBO', said: recorded },
      })
    // The approvals channel, the person who recorded it, and the requester.
    const messages = await waitForMessages(model, pattern, 3)
    expect(messages.filter((text) => text.startsWith('📨 Order 1 was received'))).toHaveLength(2)
    expect(await model.finish()).toEqual([])
  },
)
