import fc from 'fast-check'
import { it } from 'vitest'
import { seedOf } from '../random.ts'
import { createModel, type Model } from './model/model.ts'
import { holds } from './model/what-must-hold.ts'

/** Histories; 2,000 are run with MODEL_HISTORIES=2000. */
const SEED = seedOf()
const HISTORIES = Number(process.env.MODEL_HISTORIES ?? 15)
/** Flapping is edited each 5 minutes at most, and a mute lasts 15. */
const QUIET_MINUTES = 17

type Step = { name: string; run: (model: Model) => Promise<void> | void }

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
  {
    weight: 3,
    arbitrary: step(
      fc.tuple(channel, fc.nat(3), fc.integer({ min: 1, max: 4 })),
      'watch',
      (m, [at, filter, after]) => m.watch(at, filter, after),
    ),
  },
  { weight: 1, arbitrary: step(channel, 'unwatch', (m, at) => m.unwatch(at)) },
  {
    weight: 2,
    arbitrary: step(fc.tuple(channel, fc.nat(9)), 'mute', (m, [at, index]) => m.mute(at, index)),
  },
  { weight: 1, arbitrary: step(nothing, 'unmute', (m) => m.unmute()) },
  { weight: 1, arbitrary: step(nothing, 'acknowledge', (m) => m.acknowledge()) },
  { weight: 1, arbitrary: step(nothing, 'delete a message', (m) => m.channels.deleteOldest()) },
)

it(`tells each once, nothing else, and ends with true words in ${HISTORIES} histories (SEED=${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 60 }), async (history) => {
      await using model = await createModel()
      await model.watch(0, 0, 1)
      await model.minute()
      for (const { run } of history) await run(model)
      await model.quietly(QUIET_MINUTES)
      await holds(model)
    }),
    { seed: SEED, numRuns: HISTORIES },
  )
})
