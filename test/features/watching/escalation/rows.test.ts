import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { IS_LONG } from '../../../long.ts'
import { createModel, type Model, UUIDS } from '../model/model.ts'

const MINUTE_MS = 60_000
const STEPS = [
  { afterMs: 5 * MINUTE_MS, call: [{ name: '@oncall', id: 'S1', isGroup: true }] },
  {
    afterMs: 10 * MINUTE_MS,
    call: [
      { name: '@ann', id: 'U1' },
      { name: '@max', id: 'U2' },
    ],
  },
]
const FIRST = '<!subteam^S1> 5 min'
const SECOND = '<@U1> <@U2> 10 min'
const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

async function watched(url?: string, keys?: string): Promise<Model> {
  const model = await createModel({ ...(url !== undefined && { url }), ...(keys !== undefined && { keys }) })
  await model.watch(0, 0, 1, { escalation: STEPS })
  await model.minute()
  return model
}

describe.each(SHARED_DATABASES)('a card that nobody is on, with $name', ({ start }) => {
  it('says who is called next and when, calls them in its thread, and stops when somebody is on it', async () => {
    await using database = await start()
    await using model = await watched(database.url, database.keys)
    model.set(0, 'UNHEALTHY')
    await model.quietly(3)
    const [card] = shown(model)
    expect(card).toMatchObject({ kind: 'outage', call: { names: '@oncall' } })
    expect(model.channels.called).toEqual([])
    await model.quietly(4)
    expect(model.channels.called).toEqual([FIRST])
    expect(shown(model)).toMatchObject([{ call: { names: '@ann @max' } }])
    await model.acknowledge()
    await model.quietly(10)
    expect(model.channels.called).toEqual([FIRST])
    expect(shown(model)[0]).not.toHaveProperty('call')
    // A new outage drops who was on the last; what was called about within the hour is not called about again.
    model.set(0, 'HEALTHY')
    await model.quietly(3)
    model.set(0, 'UNHEALTHY')
    await model.quietly(14)
    expect(model.channels.called).toEqual([FIRST, SECOND])
    expect(shown(model)[0]).not.toHaveProperty('call')
    expect(model.faults).toEqual([])
  })
})

describe('a card that nobody is on', () => {
  it('calls nobody while it is muted or in maintenance, cannot be seen, or is up again', async () => {
    await using model = await watched()
    model.set(0, 'UNHEALTHY')
    model.set(1, 'UNHEALTHY')
    await model.quietly(2)
    model.set(1, 'HEALTHY')
    await model.mute(0, 0)
    await model.quietly(8)
    expect(model.channels.called).toEqual([])
    model.service('unavailable')
    for (let minute = 0; minute < 12; minute += 1) await model.minute()
    expect(model.channels.called).toEqual([])
    // Nobody is on it since long before.
    await model.quietly(4)
    expect(model.channels.called.map((one) => one.split(' ')[0])).toEqual(['<!subteam^S1>', '<@U1>'])
  })

  it('calls once for a storm', async () => {
    await using model = await watched()
    for (const index of UUIDS.keys()) model.set(index, 'UNHEALTHY')
    await model.quietly(20)
    expect(shown(model)).toMatchObject([{ kind: 'storm' }])
    expect(model.channels.called).toEqual([FIRST, SECOND])
  })

  it('calls about what is down already once a watch says whom', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.minute()
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    await model.watch(0, 0, 1, { escalation: STEPS })
    await model.quietly(10)
    expect(model.channels.called).toEqual([FIRST, SECOND])
  })
})

it('says on what is down already whom a watch calls, as soon as it does and for as long', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.minute()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  const names = async () => {
    await model.quietly(1)
    return shown(model).map((card) => ('call' in card ? card.call?.names : undefined))
  }
  await model.watch(0, 0, 1, { escalation: STEPS })
  expect(await names()).toEqual(['@oncall'])
  await model.watch(0, 0, 1, { escalation: STEPS.slice(1) })
  expect(await names()).toEqual(['@ann @max'])
  await model.watch(0, 0, 1)
  expect(await names()).toEqual([undefined])
  await model.watch(0, 0, 1, { another: true, escalation: STEPS.slice(1) })
  expect(await names()).toEqual(['@ann @max'])
  await model.unwatch(0, { another: true })
  expect(await names()).toEqual([undefined])
  expect(model.channels.called).toEqual([])
  expect(model.faults).toEqual([])
})

it('calls nobody a second time when a mute ends while nothing is seen', async () => {
  await using model = await watched()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  await model.mute(0, 9)
  model.service('unavailable')
  await model.pass(9)
  await model.unmute()
  await model.pass(1)
  await model.quietly(12)
  expect(shown(model).map(({ kind }) => kind)).toEqual(['outage', 'blind', 'still-down'])
  expect(model.channels.called.map((one) => one.split(' ')[0])).toEqual(['<!subteam^S1>', '<@U1>'])
  expect(model.faults).toEqual([])
})

it('calls nobody before somebody has looked again, whether it is written that nothing is seen or not', async () => {
  await using model = await watched()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  model.service('unauthorized')
  await model.jump(90)
  expect(model.channels.called).toEqual([])
  await model.pass(5)
  expect(shown(model).map(({ kind }) => kind)).toEqual(['outage', 'blind'])
  expect(model.channels.called).toEqual([])
  expect(model.faults).toEqual([])
})

it('counts no time in which nobody looked, and says on the card when people are called after it', async () => {
  await using model = await watched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(3)
  await model.jump(30)
  await model.quietly(1)
  expect(model.channels.called).toEqual([])
  // Two of the five minutes were seen before, and one since.
  const [card] = shown(model)
  const call = card && 'call' in card ? card.call : undefined
  const leftMs = new Date(call?.at ?? 0).getTime() - model.now().getTime()
  expect(leftMs).toBeGreaterThan(MINUTE_MS)
  expect(leftMs).toBeLessThanOrEqual(3 * MINUTE_MS)
  await model.quietly(5)
  expect(model.channels.called).toEqual([expect.stringContaining('<!subteam^S1>')])
  expect(model.faults).toEqual([])
})

it('says who is called next as soon as somebody looks again, also on a card that was drawn before', async () => {
  await using model = await createModel()
  const [step] = STEPS
  await model.watch(0, 0, 1, { escalation: [{ call: step?.call ?? [], afterMs: 60 * MINUTE_MS }] })
  await model.minute()
  model.set(0, 'UNHEALTHY')
  await model.quietly(3)
  const called = () => shown(model).map((card) => ('call' in card ? card.call?.at : undefined))
  const [before] = called()
  expect(before).toBeDefined()
  await model.jump(30)
  await model.mute(0, 0)
  await model.unmute()
  await model.jump(0)
  // Nobody looks yet: when they are called, nobody knows.
  expect(called()).toEqual([undefined])
  await model.quietly(3)
  const laterMs = new Date(called()[0] ?? 0).getTime() - new Date(before ?? 0).getTime()
  expect(laterMs).toBeGreaterThan(25 * MINUTE_MS)
  expect(laterMs).toBeLessThanOrEqual(31 * MINUTE_MS)
  expect(model.faults).toEqual([])
})

it('does not go on with a call about what came up since, once it falls again', async () => {
  await using model = await watched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  const [card] = shown(model)
  const [step = { afterMs: 0, call: [] }] = STEPS
  // As by a process that dies over it.
  await model.store.watching.calls.begin('T1', card?.cardId ?? '', { ...step, at: model.now() })
  model.set(0, 'HEALTHY')
  await model.quietly(2)
  model.set(0, 'UNHEALTHY')
  await model.quietly(3)
  expect(shown(model)).toMatchObject([{ kind: 'outage', state: 'down', call: { names: '@oncall' } }])
  expect(model.channels.called).toEqual([])
  await model.quietly(4)
  expect(model.channels.called).toEqual([FIRST])
  expect(model.faults).toEqual([])
})

it('calls people on a card that is posted anew where somebody has deleted it', async () => {
  await using model = await watched()
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  model.channels.deleteOldest()
  await model.quietly(10)
  expect(model.channels.called.map((one) => one.split(' ')[0])).toEqual(['<!subteam^S1>', '<@U1>'])
  expect(shown(model)).toMatchObject([{ kind: 'outage' }])
  expect(model.faults).toEqual([])
})

/** Each place to die in, with what Slack does to the call; random histories die anywhere, too. */
const DEATHS = Array.from({ length: 48 }, (_, index) => ({
  trouble: index < 24 ? undefined : ('lost-reply' as const),
  death: { afterCalls: (index % 24) >> 1, isBefore: index % 2 === 0 },
})).filter((_, index) => IS_LONG || index % 3 === 0)

it('nobody is called twice for one step, wherever the process dies', async () => {
  for (const { trouble, death } of DEATHS) {
    await using model = await watched()
    model.set(0, 'UNHEALTHY')
    await model.quietly(4)
    for (let minute = 0; minute < 8; minute += 1) {
      if (minute % 4 === 0) {
        model.dieAt({ ...death })
        model.trouble(trouble)
      }
      await model.minute()
    }
    await model.quietly(15)
    const who = model.channels.called.map((one) => one.split(' ')[0])
    expect(who, JSON.stringify({ trouble, death })).toEqual(['<!subteam^S1>', '<@U1>'])
  }
}, 600_000)
