import fc from 'fast-check'
import { expect } from 'vitest'
import { expectBlindMessages, expectCorrectMessages } from './invariants.ts'
import { CHANNELS, type Model, UUIDS } from './model.ts'

/** Long enough that mutes end (15 minutes) and that an outage added by an edit gets its own message (10 minutes). */
const QUIET_MINUTES = 17
/** Messages that become due at the end of the quiet minutes are posted within this many minutes after them. */
const GRACE_MINUTES = 3
/** Channels are notified after five minutes without a successful poll. */
const BLIND_MINUTES = 8

export type Step = { name: string; run: (model: Model) => Promise<void> | void }

const createStep = <T>(arbitrary: fc.Arbitrary<T>, name: string, run: (model: Model, value: T) => unknown) =>
  arbitrary.map((value) => ({
    name: `${name} ${JSON.stringify(value)}`,
    run: async (model: Model) => void (await run(model, value)),
    toString: () => `${name} ${JSON.stringify(value)}`,
  }))

const checkIndex = fc.nat(6)
const channel = fc.nat(2)
const noInput = fc.constant(undefined)
const status = fc.constantFrom('UNHEALTHY', 'UNHEALTHY', 'HEALTHY', 'HEALTHY', 'ODD')

const watchOptions = fc.record({ isSecond: fc.boolean(), pages: fc.boolean() })
const maintenancePlan = fc.record({
  inMinutes: fc.constantFrom(0, 1, 4, 70),
  forMinutes: fc.constantFrom(3, 15, 40),
  channel: fc.constantFrom(undefined, undefined, 0, 1),
})
const watchSteps = [
  {
    weight: 3,
    arbitrary: createStep(
      fc.tuple(channel, fc.nat(2), fc.integer({ min: 1, max: 4 }), watchOptions),
      'watch',
      (model, [index, filter, after, options]) => model.watch(index, filter, after, options),
    ),
  },
  {
    weight: 1,
    arbitrary: createStep(fc.tuple(channel, watchOptions), 'unwatch', (model, [index, options]) =>
      model.unwatch(index, options),
    ),
  },
  { weight: 1, arbitrary: createStep(channel, 'resume', (model, index) => model.resume(index)) },
]

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: createStep(fc.tuple(checkIndex, status), 'set', async (model, [index, to]) => {
      model.setStatus(index, to)
      await model.passMinute()
    }),
  },
  { weight: 8, arbitrary: createStep(noInput, 'minute', (model) => model.passMinute()) },
  {
    weight: 2,
    arbitrary: createStep(fc.constantFrom('UNHEALTHY', 'HEALTHY'), 'all', async (model, to) => {
      model.setAllStatuses(to)
      await model.passMinute()
    }),
  },
  { weight: 1, arbitrary: createStep(checkIndex, 'delete', (model, index) => model.removeCheck(index)) },
  {
    weight: 2,
    arbitrary: createStep(
      fc.constantFrom(false, 'unavailable', 'unauthorized'),
      'service',
      (model, failure) => model.setServiceFailure(failure as false),
    ),
  },
  {
    weight: 3,
    arbitrary: createStep(fc.constantFrom('lost-reply', 'limited', 'broken'), 'trouble', (model, kind) =>
      model.failNextSlackCall(kind as 'limited'),
    ),
  },
  {
    weight: 3,
    arbitrary: createStep(
      fc.record({ afterCalls: fc.nat(30), isBefore: fc.boolean() }),
      'die',
      (model, death) => model.dieAt(death),
    ),
  },
  ...watchSteps,
  {
    weight: 2,
    arbitrary: createStep(channel, 'pause', (model, index) => model.pause(index)),
  },
  {
    weight: 2,
    arbitrary: createStep(fc.tuple(channel, fc.nat(9)), 'mute', (model, [channelIndex, index]) =>
      model.mute(channelIndex, index),
    ),
  },
  { weight: 1, arbitrary: createStep(noInput, 'unmute', (model) => model.unmute()) },
  {
    weight: 4,
    arbitrary: createStep(
      fc.tuple(fc.constantFrom('take', 'take', 'step-down', 'hand-over'), fc.nat(2), fc.nat(5)),
      'press',
      (model, [action, personIndex, cardIndex]) => model.press(action as 'take', personIndex, cardIndex),
    ),
  },
  { weight: 1, arbitrary: createStep(fc.nat(2), 'leave', (model, who) => model.deactivatePerson(who)) },
  {
    weight: 3,
    // Checks start and stop matching filters.
    arbitrary: createStep(
      fc.tuple(checkIndex, fc.constantFrom('a', 'b', 'z')),
      'rename',
      (model, [index, to]) => {
        const uuid = UUIDS[index] ?? 'a1'
        model.renameCheck(uuid, `check-${to}${uuid}`)
      },
    ),
  },
  { weight: 1, arbitrary: createStep(noInput, 'delete a message', (model) => model.channels.deleteOldest()) },
  {
    weight: 2,
    arbitrary: createStep(
      fc.tuple(fc.constantFrom('*', 'check-a*', 'check-b*'), maintenancePlan),
      'plan',
      (model, [pattern, plan]) => model.planMaintenance(pattern, plan),
    ),
  },
  {
    weight: 2,
    arbitrary: createStep(fc.integer({ min: 2, max: 12 }), 'minutes', async (model, minutes) =>
      model.passMinutes(minutes),
    ),
  },
  {
    weight: 1,
    arbitrary: createStep(fc.constantFrom(-90, -7, -1, 1, 7, 90), 'clock', (model, minutes) =>
      model.jumpClock(minutes),
    ),
  },
)

interface BlindPeriods {
  failures: [string, string]
  between: Step[]
}

/** Two periods in which checks can't be seen, and the steps between them. */
const anyBlindPeriods: fc.Arbitrary<BlindPeriods> = fc.record({
  failures: fc.tuple(
    fc.constantFrom('unavailable', 'unauthorized'),
    fc.constantFrom('unavailable', 'unauthorized'),
  ),
  between: fc.array(
    fc.oneof(...watchSteps, {
      weight: 2,
      arbitrary: createStep(channel, 'pause immediately', (model, index) => model.pause(index)),
    }),
    { maxLength: 5 },
  ),
})

async function failPolls(model: Model, failure: string): Promise<void> {
  model.setServiceFailure(failure as 'unavailable')
  for (let minute = 0; minute < BLIND_MINUTES; minute += 1) await model.passMinute()
}

/** The most pending messages in any channel. */
async function countMostPending({ store }: Model): Promise<number> {
  const { outbox } = store.watching
  return Math.max(...(await Promise.all(CHANNELS.map((channel) => outbox.countPending('T1', channel)))))
}

/** A random history: steps, and then two periods in which checks can't be seen. */
export const HISTORY = fc.tuple(fc.array(anyStep, { minLength: 10, maxLength: 60 }), anyBlindPeriods)

/** Runs a history, and checks the messages of channels twice: after `QUIET_MINUTES` without new events, and while checks can't be seen. */
export async function runHistory(
  model: Model,
  [
    history,
    {
      failures: [first, second],
      between,
    },
  ]: [Step[], BlindPeriods],
): Promise<void> {
  await model.watch(0, 0, 1)
  await model.passMinute()
  for (const { run } of history) await run(model)
  for (const index of CHANNELS.keys()) await model.resume(index)
  await model.passWithoutFaults(QUIET_MINUTES)
  // The end of maintenance in the last quiet minute is posted in the next one.
  for (let more = 0; more < GRACE_MINUTES && (await countMostPending(model)) > 0; more += 1)
    await model.passWithoutFaults(1)
  // No message may be pending now. Posts are retried or given up within five minutes, even if the clock was changed.
  expect(await countMostPending(model), 'pending messages').toBe(0)
  await expectCorrectMessages(model)
  await failPolls(model, first)
  for (const { run } of between) await run(model)
  await failPolls(model, second)
  for (const index of CHANNELS.keys()) await model.resume(index)
  // Resumed channels get their messages one at a time, which takes a few more minutes.
  await failPolls(model, second)
  await expectBlindMessages(model, second === 'unauthorized' ? 'unauthorized' : 'unreachable')
}
