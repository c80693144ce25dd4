import { describe, expect, it } from 'vitest'
import type { DigestModel } from '../../../src/features/watching/digests.ts'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { nextDigest } from '../../../src/features/watching/rules/due.ts'
import { createModel, type Model } from './model/model.ts'

const WORKSPACE = 'T1'
const PLACE = { workspaceId: WORKSPACE, channelId: 'C1', environment: 'production' } as const

const shown = ({ channels }: Model): CardModel[] => [...channels.standing.values()].map(({ model }) => model)
const kinds = (model: Model): string[] => shown(model).map(({ kind }) => kind)

async function startWatched(terms: Parameters<Model['watch']>[3] = {}): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1, terms)
  await model.minute()
  return model
}

describe('a reminder', () => {
  it('comes after its hours, then a day later, and not once somebody is on it', async () => {
    await using model = await startWatched({ reminderHours: 1 })
    model.set(0, 'UNHEALTHY')
    await model.quietly(55)
    expect(kinds(model)).toEqual(['outage'])
    await model.quietly(10)
    expect(shown(model)[1]).toMatchObject({ kind: 'still-down', reason: 'reminder', stillDown: 1 })
    await model.acknowledge()
    await model.quietly(2)
    const acknowledged = { by: 'U1', name: 'Ann' }
    expect(shown(model)).toMatchObject([{ acknowledged }, { acknowledged }])
    await model.quietly(60)
    expect(kinds(model)).toHaveLength(2)
    model.set(0, 'HEALTHY')
    await model.quietly(4)
    expect(shown(model)).toMatchObject([{ state: 'recovered' }, { stillDown: 0 }])
  })

  it('comes of a new outage although somebody was on the one before', async () => {
    await using model = await startWatched({ reminderHours: 1 })
    model.set(0, 'UNHEALTHY')
    await model.quietly(5)
    await model.acknowledge()
    model.set(0, 'HEALTHY')
    await model.quietly(5)
    expect(shown(model)).toMatchObject([{ state: 'recovered', acknowledged: { by: 'U1' } }])
    model.set(0, 'UNHEALTHY')
    await model.quietly(5)
    expect(shown(model)).toMatchObject([{ state: 'down', earlier: 1 }])
    expect(shown(model)[0]).not.toHaveProperty('acknowledged')
    await model.quietly(60)
    expect(shown(model)[1]).toMatchObject({ kind: 'still-down', reason: 'reminder', stillDown: 1 })
  })

  it('of what is down already follows the setting as soon as that is changed', async () => {
    await using model = await startWatched({ reminderHours: 24 })
    model.set(0, 'UNHEALTHY')
    await model.quietly(30)
    await model.watch(0, 0, 1, { reminderHours: 1 })
    await model.quietly(25)
    expect(kinds(model)).toEqual(['outage'])
    await model.quietly(10)
    expect(kinds(model)).toEqual(['outage', 'still-down'])
  })

  it('comes at once when it is set to a time that is over, and not again for what was reminded of', async () => {
    await using model = await startWatched({ reminderHours: 0 })
    model.set(0, 'UNHEALTHY')
    await model.quietly(90)
    await model.watch(0, 0, 1, { reminderHours: 1 })
    await model.quietly(2)
    expect(kinds(model)).toEqual(['outage', 'still-down'])
    for (const reminderHours of [4, 1, 0, 1] as const) {
      await model.watch(0, 0, 1, { reminderHours })
      await model.quietly(2)
    }
    expect(kinds(model)).toHaveLength(2)
  })

  it('does not come once it is switched off, or somebody is on it', async () => {
    await using model = await startWatched({ reminderHours: 1 })
    model.set(0, 'UNHEALTHY')
    await model.quietly(30)
    await model.watch(0, 0, 1, { reminderHours: 0 })
    await model.quietly(60)
    await model.acknowledge()
    await model.watch(0, 0, 1, { reminderHours: 1 })
    await model.quietly(5)
    expect(kinds(model)).toEqual(['outage'])
  })
})

describe('a storm', () => {
  it('is one card, edited as it goes on and until it is over', async () => {
    await using model = await startWatched()
    for (const index of [0, 1, 2, 3, 4]) model.set(index, 'UNHEALTHY')
    await model.minute()
    expect(shown(model)).toMatchObject([{ kind: 'storm', total: 5, stillDown: 5 }])
    model.set(5, 'UNHEALTHY')
    await model.minute()
    expect(shown(model)).toMatchObject([{ kind: 'storm', total: 6, stillDown: 6 }])
    model.all('HEALTHY')
    await model.quietly(4)
    expect(shown(model)).toMatchObject([
      { kind: 'storm', total: 6, stillDown: 0, overAt: expect.any(String) },
    ])
  })
})

describe('a check that flaps', () => {
  it('has one card, which says in which state it ended', async () => {
    await using model = await startWatched()
    for (let flip = 0; flip < 6; flip += 1) {
      model.set(0, flip % 2 === 0 ? 'UNHEALTHY' : 'HEALTHY')
      await model.quietly(3)
    }
    await model.quietly(6)
    expect(shown(model)).toMatchObject([{ kind: 'flapping', now: 'up' }])
    await model.quietly(32)
    expect(shown(model)).toMatchObject([{ kind: 'flapping', now: 'up', overAt: expect.any(String) }])
  })

  it('has its card edited every five minutes at most, however often it flips', async () => {
    await using model = await startWatched()
    const editedIn: number[] = []
    const { calls } = model.channels
    for (let minute = 0; minute < 60; minute += 1) {
      // Down with one bad poll, up with two good ones: the fastest that a check can flip.
      model.set(0, minute % 3 === 0 ? 'UNHEALTHY' : 'HEALTHY')
      const before = calls.length
      const wasFlapping = kinds(model)[0] === 'flapping'
      await model.minute()
      if (wasFlapping) editedIn.push(...calls.slice(before).map(() => minute))
    }
    const pauses = editedIn.slice(1).map((minute, index) => minute - (editedIn[index] ?? 0))
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(5)
    expect(pauses.length).toBeGreaterThanOrEqual(6)
    expect(kinds(model)).toEqual(['flapping'])
  })

  it('is an outage again when it ended down', async () => {
    await using model = await startWatched()
    for (let flip = 0; flip < 5; flip += 1) {
      model.set(0, flip % 2 === 0 ? 'UNHEALTHY' : 'HEALTHY')
      await model.quietly(3)
    }
    await model.quietly(38)
    expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down' }])
  })
})

it('tells each outage on a card of its own where every one is asked for', async () => {
  await using model = await startWatched({ notify: 'every' })
  for (let flip = 0; flip < 6; flip += 1) {
    model.set(0, flip % 2 === 0 ? 'UNHEALTHY' : 'HEALTHY')
    await model.quietly(3)
  }
  expect(kinds(model)).toEqual(['outage', 'outage', 'outage'])
})

it('says on a card of a deleted check that it was deleted', async () => {
  await using model = await startWatched()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  model.remove(0)
  await model.quietly(2)
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'deleted' }])
})

it('is blind after five minutes without an answer, on one card, and says what had changed', async () => {
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

describe('while nothing can be seen', () => {
  const fall = async (terms: Parameters<Model['watch']>[3] = {}): Promise<Model> => {
    const model = await startWatched(terms)
    model.set(0, 'UNHEALTHY')
    await model.minute()
    return model
  }
  const unseen = async (model: Model, minutes: number): Promise<void> => {
    model.service('unavailable')
    for (let minute = 0; minute < minutes; minute += 1) await model.minute()
  }

  it('nobody is reminded of what may be over, but as soon as it is seen again', async () => {
    await using model = await fall({ reminderHours: 1 })
    await unseen(model, 90)
    expect(kinds(model)).toEqual(['outage', 'blind'])
    await model.quietly(3)
    expect(shown(model)[2]).toMatchObject({ kind: 'still-down', reason: 'reminder', stillDown: 1 })
  })

  it('no check is said to have stopped flapping', async () => {
    await using model = await startWatched()
    for (let flip = 0; flip < 6; flip += 1) {
      model.set(0, flip % 2 === 0 ? 'UNHEALTHY' : 'HEALTHY')
      await model.quietly(3)
    }
    await unseen(model, 60)
    const [flapping, blind] = shown(model)
    expect(flapping).toMatchObject({ kind: 'flapping' })
    expect(flapping).not.toHaveProperty('overAt', expect.any(String))
    expect(blind).toMatchObject({ kind: 'blind' })
    // It is quiet once somebody has looked for so long.
    await model.quietly(20)
    expect(shown(model)[0]).not.toHaveProperty('overAt', expect.any(String))
    await model.quietly(12)
    expect(shown(model)[0]).toMatchObject({ kind: 'flapping', overAt: expect.any(String) })
  })

  it('nothing is said of checks after a standstill, before somebody has looked', async () => {
    await using model = await fall({ reminderHours: 1 })
    await model.jump(90)
    expect(kinds(model)).toEqual(['outage'])
    await model.quietly(2)
    expect(kinds(model)).toEqual(['outage', 'still-down'])
  })

  it('the end of a mute says what was down when it was last seen', async () => {
    await using model = await startWatched()
    await model.mute(0, 0)
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    const seen = model.now().getTime()
    await unseen(model, 20)
    const told = shown(model).find(({ kind }) => kind === 'still-down')
    expect(told).toMatchObject({ reason: 'mute-ended', stillDown: 1 })
    expect(told && 'at' in told && new Date(told.at).getTime()).toBeLessThanOrEqual(seen)
  })
})

it('opens the card of a check again that falls within half an hour', async () => {
  await using model = await startWatched()
  for (const status of ['UNHEALTHY', 'HEALTHY', 'UNHEALTHY']) {
    model.set(0, status)
    await model.quietly(4)
  }
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down', earlier: 1 }])
})

it('tells at the end of a mute what it kept back and is still down', async () => {
  await using model = await startWatched()
  await model.mute(0, 0)
  model.set(0, 'UNHEALTHY')
  await model.quietly(10)
  expect(shown(model)).toEqual([])
  await model.quietly(8)
  expect(shown(model)).toMatchObject([{ kind: 'still-down', reason: 'mute-ended', stillDown: 1 }])
})

describe('a paused channel', () => {
  it('is told what is down when it is watched again, and its old cards what they missed', async () => {
    await using model = await startWatched()
    const { watches } = model.store.watching
    model.set(0, 'UNHEALTHY')
    await model.minute()
    await watches.pause(WORKSPACE, 'C1', 'archived', model.now())
    model.set(0, 'HEALTHY')
    model.set(1, 'UNHEALTHY')
    await model.quietly(4)
    expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down' }])
    await watches.resume(WORKSPACE, 'C1', model.now())
    await model.quietly(2)
    expect(shown(model)).toMatchObject([
      { kind: 'outage', state: 'recovered' },
      { kind: 'outage', check: { uuid: 'a2' }, state: 'down' },
    ])
  })
})

it('posts a card anew that somebody has deleted while its check is down', async () => {
  await using model = await startWatched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(5)
  model.channels.deleteOldest()
  expect(shown(model)).toEqual([])
  await model.quietly(65)
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down' }])
})

it('counts what came up while nothing was seen', async () => {
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

it('goes on with its polls however many processes have died with them', async () => {
  await using model = await startWatched()
  model.dieAt({ afterCalls: 0, isBefore: true }, 60)
  await model.quietly(30)
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  expect(kinds(model)).toEqual(['outage'])
})

describe('a digest', () => {
  it('sums up what was, over the time that was observed, and is silent about a quiet day', async () => {
    await using model = await startWatched()
    const terms = { hour: 13, timeZone: 'UTC' }
    const by = { userId: 'U1', now: model.now(), next: nextDigest(terms, model.now()) }
    await model.store.watching.digests.set(PLACE, terms, by)
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
    // What travels as a card here is the digest's own model.
    const { checks, downMs, observedMs } = digest as unknown as DigestModel
    expect(checks[0]?.uptime).toBeCloseTo(1 - downMs / observedMs)
    await model.quietly(24 * 60)
    expect(shown(model)).toHaveLength(2)
  })
})
