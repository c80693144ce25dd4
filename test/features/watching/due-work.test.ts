import { describe, expect, it } from 'vitest'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { findNextDigest } from '../../../src/features/watching/rules/next-digest.ts'
import type { DigestModel } from '../../../src/features/watching/rules/sum-history.ts'
import { createModel, type Model } from './model/model.ts'

const WORKSPACE = 'T1'
const PLACE = { workspaceId: WORKSPACE, channelId: 'C1', environment: 'production' } as const

const listCards = ({ channels }: Model): CardModel[] =>
  [...channels.messages.values()].map(({ model }) => model)
const listKinds = (model: Model): string[] => listCards(model).map(({ kind }) => kind)

async function startWatchedModel(settings: Parameters<Model['watch']>[3] = {}): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, settings)
  await model.passMinute()
  return model
}

it('shows on an outage’s card that its check was deleted', async () => {
  await using model = await startWatchedModel()
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinute()
  model.removeCheck(0)
  await model.passWithoutFaults(2)
  expect(listCards(model)).toMatchObject([{ rows: [{ closed: { ending: 'deleted' } }] }])
})

/** A card with the environment that can't be seen, and this many checks that are down. */
const blindCard = (isDown: boolean, downCount: number) => ({
  kind: 'card',
  downCount,
  rows: expect.arrayContaining([
    expect.objectContaining({ check: expect.objectContaining({ uuid: '' }), isDown, failure: 'unreachable' }),
  ]),
})

it('posts one card after five minutes without successful polls, and then what is down', async () => {
  await using model = await startWatchedModel()
  model.setServiceFailure('unavailable')
  for (let minute = 0; minute < 4; minute += 1) await model.passMinute()
  expect(listKinds(model)).toEqual([])
  for (let minute = 0; minute < 4; minute += 1) await model.passMinute()
  expect(listCards(model)).toMatchObject([blindCard(true, 0)])
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(2)
  // Within five minutes of the first card, what is down is added to it. Then it gets its own message.
  expect(listCards(model)).toMatchObject([blindCard(false, 1)])
  await model.passWithoutFaults(5)
  expect(listCards(model)).toMatchObject([blindCard(false, 0), { kind: 'card', total: 1, downCount: 1 }])
})

it('reposts a card that was deleted during the outage', async () => {
  await using model = await startWatchedModel()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(5)
  model.channels.deleteOldest()
  expect(listCards(model)).toEqual([])
  await model.passWithoutFaults(65)
  expect(listCards(model)).toMatchObject([{ kind: 'card', downCount: 1 }])
})

it('shows what went down and recovered while the service couldn’t be polled once it can be seen', async () => {
  await using model = await startWatchedModel()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(2)
  model.setServiceFailure('unavailable')
  for (let minute = 0; minute < 8; minute += 1) await model.passMinute()
  model.setStatus(0, 'HEALTHY')
  model.setStatus(1, 'UNHEALTHY')
  await model.passWithoutFaults(4)
  expect(listCards(model)).toMatchObject([
    { kind: 'card', downCount: 0 },
    blindCard(false, 0),
    { kind: 'card', downCount: 1 },
  ])
})

it('keeps polling even if the process dies repeatedly', async () => {
  await using model = await startWatchedModel()
  model.dieAt({ afterCalls: 0, isBefore: true }, 60)
  await model.passWithoutFaults(30)
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(2)
  expect(listKinds(model)).toEqual(['card'])
})

describe('a digest', () => {
  it('covers only observed time, and isn’t sent on a day without outages', async () => {
    await using model = await startWatchedModel()
    const settings = { hour: 13, timeZone: 'UTC' }
    const by = { userId: 'U1', now: model.now(), next: findNextDigest(settings, model.now()) }
    await model.store.watching.digests.set(PLACE, settings, by)
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(10)
    model.setStatus(0, 'HEALTHY')
    await model.passWithoutFaults(50)
    const [, digest] = listCards(model)
    const expected = {
      outages: 1,
      checks: [{ outages: 1 }],
      stillDown: [],
      longest: { outage: { check: { uuid: 'a1' } } },
    }
    expect(digest).toMatchObject(expected)
    // Cast: the second card is a digest.
    const { checks, downMs, observedMs } = digest as unknown as DigestModel
    // Watching began less than an hour before the digest.
    expect(observedMs).toBeLessThanOrEqual(60 * 60_000)
    expect(checks[0]?.uptime).toBeCloseTo(1 - downMs / observedMs)
    await model.jumpClock(23 * 60)
    await model.passWithoutFaults(62)
    expect(listCards(model)).toHaveLength(2)
  })
})
