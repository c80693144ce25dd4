import fc from 'fast-check'
import { expect } from 'vitest'
import { expectBlindMessages, expectCorrectMessages } from './invariants.ts'
import { CHANNELS, type Model, UUIDS } from './model.ts'

/** Longer than a mute of 15 minutes, and the 10 minutes after which an outage added by edit gets its own message. */
const QUIET_MINUTES = 17
/** Messages due at the end of the quiet minutes are posted within this many more. */
const MORE_MINUTES = 3
/** Channels are notified after five minutes without a successful poll. */
const BLIND_MINUTES = 8

export type Step = { name: string; run: (model: Model) => Promise<void> | void }

const step = <T>(arbitrary: fc.Arbitrary<T>, name: string, run: (model: Model, given: T) => unknown) =>
  arbitrary.map((given) => ({
    name: `${name} ${JSON.stringify(given)}`,
    run: async (model: Model) => void (await run(model, given)),
    toString: () => `${name} ${JSON.stringify(given)}`,
  }))

const which = fc.nat(6)
const channel = fc.nat(2)
const nothing = fc.constant(undefined)
const status = fc.constantFrom('UNHEALTHY', 'UNHEALTHY', 'HEALTHY', 'HEALTHY', 'ODD')

/** Settings of a watch. `another`: the channel's second watch. */
const another = fc.record({ another: fc.boolean(), calls: fc.boolean() })
const planned = fc.record({
  inMinutes: fc.constantFrom(0, 1, 4, 70),
  forMinutes: fc.constantFrom(3, 15, 40),
  channel: fc.constantFrom(undefined, undefined, 0, 1),
})
const watching = [
  {
    weight: 3,
    arbitrary: step(
      fc.tuple(channel, fc.nat(2), fc.integer({ min: 1, max: 4 }), another),
      'watch',
      (m, [at, filter, after, which]) => m.watch(at, filter, after, which),
    ),
  },
  {
    weight: 1,
    arbitrary: step(fc.tuple(channel, another), 'unwatch', (m, [at, which]) => m.unwatch(at, which)),
  },
  { weight: 1, arbitrary: step(channel, 'resume', (m, at) => m.resume(at)) },
]

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: step(fc.tuple(which, status), 'set', async (m, [index, to]) => {
      m.set(index, to)
      await m.minute()
    }),
  },
  { weight: 8, arbitrary: step(nothing, 'minute', (m) => m.minute()) },
  {
    weight: 2,
    arbitrary: step(fc.constantFrom('UNHEALTHY', 'HEALTHY'), 'all', async (m, to) => {
      m.all(to)
      await m.minute()
    }),
  },
  { weight: 1, arbitrary: step(which, 'delete', (m, index) => m.remove(index)) },
  {
    weight: 2,
    arbitrary: step(fc.constantFrom(false, 'unavailable', 'unauthorized'), 'service', (m, failure) =>
      m.service(failure as false),
    ),
  },
  {
    weight: 3,
    arbitrary: step(fc.constantFrom('lost-reply', 'limited', 'broken'), 'trouble', (m, kind) =>
      m.trouble(kind as 'limited'),
    ),
  },
  {
    weight: 3,
    arbitrary: step(fc.record({ afterCalls: fc.nat(30), isBefore: fc.boolean() }), 'die', (m, death) =>
      m.dieAt(death),
    ),
  },
  ...watching,
  {
    weight: 2,
    arbitrary: step(channel, 'pause', (m, at) => m.pause(at)),
  },
  {
    weight: 2,
    arbitrary: step(fc.tuple(channel, fc.nat(9)), 'mute', (m, [at, index]) => m.mute(at, index)),
  },
  { weight: 1, arbitrary: step(nothing, 'unmute', (m) => m.unmute()) },
  {
    weight: 4,
    arbitrary: step(
      fc.tuple(fc.constantFrom('take', 'take', 'step-down', 'hand-over'), fc.nat(2), fc.nat(5)),
      'press',
      (m, [what, who, card]) => m.press(what as 'take', who, card),
    ),
  },
  { weight: 1, arbitrary: step(fc.nat(2), 'leave', (m, who) => m.leave(who)) },
  {
    weight: 3,
    // Checks start and stop matching filters.
    arbitrary: step(fc.tuple(which, fc.constantFrom('a', 'b', 'z')), 'rename', (m, [index, to]) => {
      const uuid = UUIDS[index] ?? 'a1'
      m.rename(uuid, `check-${to}${uuid}`)
    }),
  },
  { weight: 1, arbitrary: step(nothing, 'delete a message', (m) => m.channels.deleteOldest()) },
  {
    weight: 2,
    arbitrary: step(
      fc.tuple(fc.constantFrom('*', 'check-a*', 'check-b*'), planned),
      'plan',
      (m, [pattern, plan]) => m.plan(pattern, plan),
    ),
  },
  {
    weight: 2,
    arbitrary: step(fc.integer({ min: 2, max: 12 }), 'minutes', async (m, minutes) => m.pass(minutes)),
  },
  {
    weight: 1,
    arbitrary: step(fc.constantFrom(-90, -7, -1, 1, 7, 90), 'clock', (m, minutes) => m.jump(minutes)),
  },
)

interface Blindness {
  kinds: [string, string]
  between: Step[]
}

/** Two reasons why checks can't be seen, and what happens in between. */
const blindness: fc.Arbitrary<Blindness> = fc.record({
  kinds: fc.tuple(
    fc.constantFrom('unavailable', 'unauthorized'),
    fc.constantFrom('unavailable', 'unauthorized'),
  ),
  between: fc.array(
    fc.oneof(...watching, { weight: 2, arbitrary: step(channel, 'pause at once', (m, at) => m.pause(at)) }),
    { maxLength: 5 },
  ),
})

async function failPolls(model: Model, failure: string): Promise<void> {
  model.service(failure as 'unavailable')
  for (let minute = 0; minute < BLIND_MINUTES; minute += 1) await model.minute()
}

/** The most pending messages in any channel. */
async function countMostPending({ store }: Model): Promise<number> {
  const { outbox } = store.watching
  return Math.max(...(await Promise.all(CHANNELS.map((channel) => outbox.countPending('T1', channel)))))
}

/** A random history: steps, and then two periods in which checks can't be seen. */
export const HISTORY = fc.tuple(fc.array(steps, { minLength: 10, maxLength: 60 }), blindness)

/** Runs a history, and checks the messages of channels twice: after quiet minutes, and while checks can't be seen. */
export async function runHistory(
  model: Model,
  [
    history,
    {
      kinds: [first, second],
      between,
    },
  ]: [Step[], Blindness],
): Promise<void> {
  await model.watch(0, 0, 1)
  await model.minute()
  for (const { run } of history) await run(model)
  for (const at of CHANNELS.keys()) await model.resume(at)
  await model.quietly(QUIET_MINUTES)
  // The end of maintenance in the last quiet minute is posted in the next one.
  for (let more = 0; more < MORE_MINUTES && (await countMostPending(model)) > 0; more += 1)
    await model.quietly(1)
  // No message may be pending now, whatever the clock did: after five minutes by a stopwatch, the outcome of every post is known.
  expect(await countMostPending(model), 'pending messages').toBe(0)
  await expectCorrectMessages(model)
  await failPolls(model, first)
  for (const { run } of between) await run(model)
  await failPolls(model, second)
  for (const at of CHANNELS.keys()) await model.resume(at)
  // The messages after a resume are sent one at a time.
  await failPolls(model, second)
  await expectBlindMessages(model, second === 'unauthorized' ? 'unauthorized' : 'unreachable')
}
