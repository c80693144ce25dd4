import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { createModel, PEOPLE, REPLIES } from './model.ts'

const SEED = readSeed()
/** The number of random sequences of steps. */
const SEQUENCES = quickOrLong('MODEL_SEQUENCES', { quick: 5, long: 10_000 })

const processIndex = fc.nat(1)
const pick = fc.nat(3)
const person = fc.constantFrom(...PEOPLE)

type Model = Awaited<ReturnType<typeof createModel>>
type Step = { name: string; run: (model: Model) => Promise<void> | void }

const step = <T>(arbitrary: fc.Arbitrary<T>, name: string, run: (model: Model, args: T) => unknown) =>
  arbitrary.map((args) => ({
    name: `${name} ${JSON.stringify(args)}`,
    run: async (model: Model) => void (await run(model, args)),
    toString: () => `${name} ${JSON.stringify(args)}`,
  }))

const MINUTE_MS = 60_000
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: step(fc.tuple(processIndex, person), 'request', (model, [index, who]) =>
      model.request(index, who),
    ),
  },
  {
    weight: 3,
    arbitrary: step(fc.tuple(processIndex, person), 'renew', (model, [index, who]) =>
      model.renew(index, who),
    ),
  },
  {
    weight: 8,
    arbitrary: step(
      fc.tuple(processIndex, pick, person, fc.integer({ min: 1, max: 3 }), fc.nat(9)),
      'approve',
      (model, [index, order, who, times, stale]) => model.approve(index, order, who, times, stale === 0),
    ),
  },
  {
    weight: 1,
    arbitrary: step(fc.tuple(processIndex, pick, person), 'reject', (model, [index, order, who]) =>
      model.reject(index, order, who),
    ),
  },
  {
    weight: 1,
    arbitrary: step(fc.tuple(processIndex, pick, person), 'withdraw', (model, [index, order, who]) =>
      model.withdraw(index, order, who),
    ),
  },
  {
    weight: 3,
    arbitrary: step(
      fc.tuple(
        processIndex,
        pick,
        person,
        fc.constantFrom('received' as const, 'failed' as const),
        fc.constantFrom(undefined, 'I asked.'),
      ),
      'resolve',
      (model, [index, order, who, finding, how]) => model.resolve(index, order, who, finding, how),
    ),
  },
  {
    weight: 5,
    arbitrary: step(fc.constantFrom(...REPLIES), 'next reply', (model, kind) => model.setNextReply(kind)),
  },
  { weight: 3, arbitrary: step(processIndex, 'run due work', (model, index) => model.runDueWork(index)) },
  {
    weight: 3,
    arbitrary: step(
      fc.tuple(processIndex, fc.record({ afterCalls: fc.nat(60), isBefore: fc.boolean() })),
      'process crashes',
      (model, [index, crash]) => model.crashAt(index, crash),
    ),
  },
  { weight: 4, arbitrary: step(fc.constant(7000), 'seconds pass', (model, ms) => model.advanceClock(ms)) },
  {
    weight: 2,
    arbitrary: step(fc.constant(3 * MINUTE_MS), 'minutes pass', (model, ms) => model.advanceClock(ms)),
  },
  {
    weight: 1,
    arbitrary: step(fc.constant(80 * 60 * MINUTE_MS), 'days pass', (model, ms) => model.advanceClock(ms)),
  },
  {
    weight: 2,
    arbitrary: step(fc.constant(0), 'late answers arrive', (model) => model.deliverLateAnswers()),
  },
  {
    weight: 1,
    arbitrary: step(
      fc.record({ domains: fc.constantFrom([], ['example.com'], ['other.example']) }),
      'settings change',
      (model, change) => model.changeSettings(change),
    ),
  },
  { weight: 1, arbitrary: step(person, 'role change', (model, who) => model.toggleRole(who)) },
  {
    weight: 1,
    arbitrary: step(fc.boolean(), 'Slack is unavailable', (model, fails) => model.setSlackFails(fails)),
  },
)

/** How far a process's own clock may be off. That must make no difference. */
const skew = fc.constantFrom(0, -95_000, 95_000, -120 * MINUTE_MS, 120 * MINUTE_MS)

it.each(eitherOf(SHARED_DATABASES))(
  `sends each order at most once, and only approved by somebody else, in ${SEQUENCES} random sequences on two processes on $name (seed ${SEED})`,
  {
    timeout: 60_000 + SEQUENCES * 10_000,
  },
  async ({ start }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(skew, skew),
        fc.array(steps, { minLength: 4, maxLength: 24 }),
        async (skews, sequence) => {
          await using database = await start()
          const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
          const opened = { ...database, clock: () => new Date(clock.now) }
          await using first = await openStore(opened)
          await using second = await openStore(opened)
          const model = await createModel([first, second], clock, skews)
          await model.request(0, 'UREQUESTER')
          for (const { run } of sequence) await run(model)
          expect(await model.finish()).toEqual([])
        },
      ),
      { seed: SEED, numRuns: SEQUENCES, endOnFailure: SEQUENCES > 1000 },
    )
  },
)
