import { describe, expect, it } from 'vitest'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { nextDigest } from '../../../src/features/watching/rules/next-digest.ts'
import type { DigestModel } from '../../../src/features/watching/rules/sum-history.ts'
import { createModel, type Model } from './model/model.ts'

const WORKSPACE = 'T1'
const PLACE = { workspaceId: WORKSPACE, channelId: 'C1', environment: 'production' } as const

const shown = ({ channels }: Model): CardModel[] => [...channels.messages.values()].map(({ model }) => model)
const kinds = (model: Model): string[] => shown(model).map(({ kind }) => kind)

async function startWatched(settings: Parameters<Model['watch']>[3] = {}): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, settings)
  await model.minute()
  return model
}

it('says on the card of an outage that its check was deleted', async () => {
  await using model = await startWatched()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  model.remove(0)
  await model.quietly(2)
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'deleted' }])
})

it('posts one card after five minutes without polls, and later what has changed', async () => {
  await using model = await startWatched()
  model.service('unavailable')
  for (let minute = 0; minute < 4; minute += 1) await model.minute()
  expect(kinds(model)).toEqual([])
  for (let minute = 0; minute < 4; minute += 1) await model.minute()
  expect(shown(model)).toMatchObject([{ kind: 'blind', why: 'unreachable' }])
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  expect(shown(model)).toMatchObject([
    { kind: 'blind', endedAt: expect.any(String), meanwhile: { down: 1, up: 0 } },
    { kind: 'outage', state: 'down' },
  ])
})

it('posts a card again that was deleted during the outage', async () => {
  await using model = await startWatched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(5)
  model.channels.deleteOldest()
  expect(shown(model)).toEqual([])
  await model.quietly(65)
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down' }])
})

it('counts checks that recovered while the service couldn’t be polled', async () => {
  await using model = await startWatched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  model.service('unavailable')
  for (let minute = 0; minute < 8; minute += 1) await model.minute()
  model.set(0, 'HEALTHY')
  model.set(1, 'UNHEALTHY')
  await model.quietly(4)
  expect(shown(model)).toMatchObject([
    { kind: 'outage', state: 'recovered' },
    { kind: 'blind', meanwhile: { down: 1, up: 1 } },
    { kind: 'outage', state: 'down' },
  ])
})

it('keeps polling, however often its process dies', async () => {
  await using model = await startWatched()
  model.dieAt({ afterCalls: 0, isBefore: true }, 60)
  await model.quietly(30)
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  expect(kinds(model)).toEqual(['outage'])
})

describe('a digest', () => {
  it('covers the observed time, and isn’t sent on a quiet day', async () => {
    await using model = await startWatched()
    const settings = { hour: 13, timeZone: 'UTC' }
    const by = { userId: 'U1', now: model.now(), next: nextDigest(settings, model.now()) }
    await model.store.watching.digests.set(PLACE, settings, by)
    model.set(0, 'UNHEALTHY')
    await model.quietly(10)
    model.set(0, 'HEALTHY')
    await model.quietly(50)
    const [, digest] = shown(model)
    const expected = {
      outages: 1,
      checks: [{ outages: 1 }],
      stillDown: [],
      longest: { outage: { check: { uuid: 'a1' } } },
    }
    expect(digest).toMatchObject(expected)
    // Here, the card's model is a digest's.
    const { checks, downMs, observedMs } = digest as unknown as DigestModel
    expect(checks[0]?.uptime).toBeCloseTo(1 - downMs / observedMs)
    await model.quietly(24 * 60)
    expect(shown(model)).toHaveLength(2)
  })
})
