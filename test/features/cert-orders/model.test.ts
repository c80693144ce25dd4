import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { createModel, PEOPLE, REPLIES } from './model.ts'

const SEQUENCES = quickOrLong('MODEL_SEQUENCES', { quick: 6, long: 10_000 })

const processIndex = fc.nat(1)
const pick = fc.nat(3)
const person = fc.constantFrom(...PEOPLE)

type Model = Awaited<ReturnType<typeof createModel>>
type Step = { name: string; run: (model: Model) => Promise<void> }

/** A kind of step, and how often it's taken among the others. */
const step = <T>(
  weight: number,
  name: string,
  arbitrary: fc.Arbitrary<T>,
  run: (model: Model, args: T) => unknown,
): fc.WeightedArbitrary<Step> => ({
  weight,
  arbitrary: arbitrary.map((args) => ({
    name: `${name} ${JSON.stringify(args)}`,
    run: async (model) => void (await run(model, args)),
    toString: () => `${name} ${JSON.stringify(args)}`,
  })),
})

const MINUTE_MS = 60_000
const asPerson = fc.tuple(processIndex, person)
const onOrder = fc.tuple(processIndex, pick, person)
const approval = fc.tuple(processIndex, pick, person, fc.integer({ min: 1, max: 3 }), fc.nat(9))
const resolution = fc.record(
  {
    kind: fc.constant('resolve' as const),
    finding: fc.constantFrom('received' as const, 'failed' as const),
    how: fc.constant('I asked.'),
  },
  { requiredKeys: ['kind', 'finding'] },
)
const crash = fc.tuple(processIndex, fc.record({ afterCalls: fc.nat(60), isBefore: fc.boolean() }))
const passTime = (weight: number, name: string, ms: number) =>
  step(weight, name, fc.constant(ms), (model) => model.advanceClock(ms))
const domains = fc.record({ domains: fc.constantFrom([], ['example.com'], ['other.example']) })

const steps: fc.Arbitrary<Step> = fc.oneof(
  step(4, 'request', asPerson, (model, args) => model.request(...args)),
  step(3, 'renew', asPerson, (model, args) => model.renew(...args)),
  step(8, 'approve', approval, (model, [index, order, who, clicks, stale]) =>
    model.approve(index, order, who, clicks, stale === 0),
  ),
  step(1, 'reject', onOrder, (model, args) => model.decide(...args, { kind: 'reject' })),
  step(1, 'withdraw', onOrder, (model, args) => model.withdraw(...args)),
  step(3, 'resolve', fc.tuple(onOrder, resolution), (model, [order, decision]) =>
    model.decide(...order, decision),
  ),
  step(5, 'next reply', fc.constantFrom(...REPLIES), (model, kind) => model.setNextReply(kind)),
  step(3, 'run due work', processIndex, (model, index) => model.runDueWork(index)),
  step(3, 'process crashes', crash, (model, args) => model.crashAt(...args)),
  passTime(4, 'seconds pass', 7000),
  passTime(2, 'minutes pass', 3 * MINUTE_MS),
  passTime(1, 'days pass', 80 * 60 * MINUTE_MS),
  step(2, 'late answers arrive', fc.constant(0), (model) => model.deliverLateAnswers()),
  step(1, 'settings change', domains, (model, change) => model.changeSettings(change)),
  step(1, 'restore', fc.constant(0), (model) => model.restore()),
  step(1, 'role change', person, (model, who) => model.toggleRole(who)),
  step(1, 'Slack is unavailable', fc.boolean(), (model, fails) => model.setSlackFails(fails)),
)

const removal = fc
  .constantFrom('uninstall' as const, 'erase' as const)
  .map((how): Step => ({ name: how, run: (model) => model.remove(how) }))
const send: Step = {
  name: 'send an order that is answered late',
  async run(model) {
    model.setNextReply('late')
    await model.approve(0, 0, 'UANN', 1, false)
    await model.runDueWork(0)
  },
}
const few = fc.array(steps, { maxLength: 8 })
const sequences = fc.oneof(
  fc.array(steps, { minLength: 4, maxLength: 24 }),
  fc.tuple(few, fc.subarray([send]), removal, few).map((parts) => parts.flat()),
)

/** How far a process's own clock may be off. That must make no difference. */
const skew = fc.constantFrom(0, -95_000, 95_000, -120 * MINUTE_MS, 120 * MINUTE_MS)

it.each(eitherOf(SHARED_DATABASES))(
  `sends each order at most once, and only approved by somebody else, and none of a workspace that is gone, in ${SEQUENCES} random sequences on two processes on $name`,
  async ({ start }) => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(skew, skew), sequences, async (skews, sequence) => {
        await using database = await start()
        const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
        const opened = { ...database, clock: () => new Date(clock.now) }
        await using first = await openStore(opened)
        await using second = await openStore(opened)
        const model = await createModel([first, second], clock, skews)
        await model.request(0, 'UREQUESTER')
        for (const { run } of sequence) await run(model)
        expect(await model.finish()).toEqual([])
      }),
      { numRuns: SEQUENCES, endOnFailure: SEQUENCES > 1000 },
    )
  },
)
