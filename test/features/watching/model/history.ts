import fc from 'fast-check'
import { CHANNELS, type Model } from './model.ts'
import { holds, holdsBlind } from './what-must-hold.ts'

/** Flapping is edited each 5 minutes at most, and a mute lasts 15. */
const QUIET_MINUTES = 17
/** Nothing is seen for five minutes before that is told. */
const BLIND_MINUTES = 8

export type Step = { name: string; run: (model: Model) => Promise<void> | void }

const step = <T>(arbitrary: fc.Arbitrary<T>, name: string, run: (model: Model, given: T) => unknown) =>
  arbitrary.map((given) => ({
    name: `${name} ${JSON.stringify(given)}`,
    run: async (model: Model) => void (await run(model, given)),
    toString: () => `${name} ${JSON.stringify(given)}`,
  }))

const which = fc.nat(6)
const channel = fc.nat(1)
const nothing = fc.constant(undefined)
const status = fc.constantFrom('UNHEALTHY', 'UNHEALTHY', 'HEALTHY', 'HEALTHY', 'INSTALLING', 'ODD')

/** A channel has one watch, or two. */
const another = fc.record({ another: fc.boolean(), calls: fc.boolean() })
const planned = fc.record({
  about: fc.nat(2),
  inMinutes: fc.constantFrom(0, 1, 4, 70),
  forMinutes: fc.constantFrom(3, 15, 40),
  channel: fc.constantFrom(undefined, undefined, 'C1', 'C2'),
  every: fc.constantFrom(undefined, undefined, 'day' as const),
})
const watching = [
  {
    weight: 3,
    arbitrary: step(
      fc.tuple(channel, fc.nat(1), fc.integer({ min: 1, max: 4 }), another),
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
    arbitrary: step(fc.constantFrom('UNHEALTHY', 'HEALTHY', 'INSTALLING'), 'all', async (m, to) => {
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
    weight: 3,
    arbitrary: step(
      fc.record({ who: fc.nat(2), which: fc.nat(3), isOlder: fc.constantFrom(false, false, false, true) }),
      'acknowledge',
      (m, { who, ...pressed }) => m.acknowledge(who, pressed),
    ),
  },
  {
    weight: 2,
    // What goes on stands on two cards of the channel then, of which one is handed over.
    arbitrary: step(
      fc.tuple(channel, which, fc.nat(1), which),
      'retell',
      async (m, [at, index, who, card]) => {
        m.set(index, 'UNHEALTHY')
        await m.minute()
        await m.acknowledge(who, { which: card })
        await m.mute(at, 9)
        await m.unmute()
        await m.minute()
        await m.acknowledge(who + 1, { which: card })
      },
    ),
  },
  { weight: 1, arbitrary: step(nothing, 'delete a message', (m) => m.channels.deleteOldest()) },
  {
    weight: 2,
    arbitrary: step(fc.tuple(fc.nat(1), planned), 'plan', (m, [slot, plan]) => m.planned.plan(slot, plan)),
  },
  {
    weight: 1,
    arbitrary: step(fc.tuple(fc.nat(1), fc.boolean()), 'end maintenance', (m, [slot, isPlan]) =>
      m.planned.end(slot, isPlan),
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

/** Two reasons for which checks cannot be seen, and what channels do in between. */
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

async function unseen(model: Model, failure: string): Promise<void> {
  model.service(failure as 'unavailable')
  for (let minute = 0; minute < BLIND_MINUTES; minute += 1) await model.minute()
}

/** What happens to channels that watch, and then nothing that could be seen. */
export const HISTORY = fc.tuple(fc.array(steps, { minLength: 10, maxLength: 60 }), blindness)

/** Lives through a history, and looks at what channels read: once all is quiet, and once nothing can be seen. */
export async function live(
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
  for (const at of [0, 1]) await model.resume(at)
  await model.quietly(QUIET_MINUTES)
  while (model.planned.isFresh()) await model.quietly(1)
  // By a clock that was set back, what may have been sent is too young to be looked for: a stopwatch counts then, and here it stands.
  const behind = await Promise.all(
    CHANNELS.map((channel) => model.store.watching.outbox.behind('T1', channel)),
  )
  if (model.isSetBack() && Math.max(...behind) > 0) return
  await holds(model)
  await unseen(model, first)
  for (const { run } of between) await run(model)
  await unseen(model, second)
  for (const at of [0, 1]) await model.resume(at)
  // What is told of a resume comes one message after the other.
  await unseen(model, second)
  holdsBlind(model, second === 'unauthorized' ? 'unauthorized' : 'unreachable')
}
