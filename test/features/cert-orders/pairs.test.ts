import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf, quickOrLong } from '../../long.ts'
import { readSeed } from '../../random.ts'
import { createModel } from './model.ts'

const SEED = readSeed()
const PAIRS = quickOrLong('ORDER_PAIRS', { quick: 8, long: 432 })

type Model = Awaited<ReturnType<typeof createModel>>

const HOUR_MS = 3_600_000
const SETTLED_MS = 40_000

const RESOLVED = { kind: 'resolve', finding: 'failed', how: 'I asked.' } as const

/** Everything that can happen to an order that UREQUESTER requested, and that UANN may approve. */
const EVENTS: Readonly<Record<string, (model: Model) => Promise<unknown>>> = {
  // Its POST has reached the service, whose answer is still to come.
  async approve(model) {
    model.setNextReply('late')
    await model.approve(0, 0, 'UANN', 1, false)
    await model.runDueWork(0)
  },
  reject: (model) => model.decide(0, 0, 'UANN', { kind: 'reject' }),
  withdraw: (model) => model.withdraw(0, 0, 'UREQUESTER'),
  async expire(model) {
    model.advanceClock(72 * HOUR_MS)
    await model.runDueWork(1)
  },
  async answer(model) {
    model.deliverLateAnswers()
    await model.settle()
  },
  // Another process has given up on it before.
  async 'late answer'(model) {
    for (let round = 0; round < 3; round += 1) {
      model.advanceClock(SETTLED_MS)
      await model.runDueWork(1)
    }
    model.deliverLateAnswers()
    await model.settle()
  },
  resolve: (model) => model.decide(1, 0, 'UANN', RESOLVED),
  uninstall: (model) => model.uninstall(),
  erase: (model) => model.erase(),
  restore: (model) => model.restore(),
  'setting changed': (model) => model.changeSettings({ domains: ['other.example'] }),
  'approver leaves': async (model) => model.toggleRole('UANN'),
}

/** Where the two events begin: nobody has decided, its POST is under way, or nobody knows whether the service has it. */
const STARTS: Readonly<Record<string, (model: Model) => Promise<unknown>>> = {
  'waiting for approval': async () => undefined,
  'being sent': async (model) => EVENTS.approve?.(model),
  'outcome unknown': async (model) => {
    await EVENTS.approve?.(model)
    for (let round = 0; round < 3; round += 1) {
      model.advanceClock(SETTLED_MS)
      await model.runDueWork(1)
    }
  },
}

/**
 * The state after two events, by the first event (a row) and the second (a column, in the order of EVENTS), and whether its POST was sent:
 * a capital letter. Waiting, being sent, received, failed, unknown, rejected (j), taken back (t), expired; `-`: deleted, `=`
 * after it was sent.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'waiting for approval': {
    approve: 'S S S S R R S = = S S S',
    reject: 'j j j j j j j - - j j j',
    withdraw: 't t t t t t t - - t t t',
    expire: 'e e e e e e e - - e e e',
    answer: 'S j t e w w w - - w w w',
    'late answer': 'S j t e w w w - - w w w',
    resolve: 'S j t e w w w - - w w w',
    uninstall: '- - - - - - - - - - - -',
    erase: '- - - - - - - - - - - -',
    restore: 'w j t e w w w - - w w w',
    'setting changed': 'w j t e w w w - - w w w',
    'approver leaves': 'w w t e w w w - - w w w',
  },
  'being sent': {
    approve: 'S S S S R R S = = S S S',
    reject: 'S S S S R R S = = S S S',
    withdraw: 'S S S S R R S = = S S S',
    expire: 'S S S U R R S = = S S S',
    answer: 'R R R R R R R = = R R R',
    'late answer': 'R R R R R R R = = R R R',
    resolve: 'S S S S R R S = = S S S',
    uninstall: '= = = = = = = = = = = =',
    erase: '= = = = = = = = = = = =',
    restore: 'S S S S R R S = = S S S',
    'setting changed': 'S S S S R R S = = S S S',
    'approver leaves': 'S S S S R R S = = S S S',
  },
  'outcome unknown': {
    approve: 'U U U U R R F = = U U U',
    reject: 'U U U U R R F = = U U U',
    withdraw: 'U U U U R R F = = U U U',
    expire: 'U U U U R R F = = U U U',
    answer: 'R R R R R R R = = R R R',
    'late answer': 'R R R R R R R = = R R R',
    resolve: 'F F F F R R F = = F F F',
    uninstall: '= = = = = = = = = = = =',
    erase: '= = = = = = = = = = = =',
    restore: 'U U U U R R F = = U U U',
    'setting changed': 'U U U U R R F = = U U U',
    'approver leaves': 'U U U U R R U = = U U U',
  },
}

/** In a quick run, some of the cases, chosen by the seed. */
const CASES = fc.sample(
  fc.shuffledSubarray(
    Object.entries(TABLE).flatMap(([start, rows]) =>
      Object.entries(rows).flatMap(([first, cells]) =>
        Object.keys(EVENTS).map((second, at) => ({ start, first, second, expected: cells.split(' ')[at] })),
      ),
    ),
    { minLength: PAIRS, maxLength: PAIRS },
  ),
  { seed: SEED, numRuns: 1 },
)[0]

const LETTERS: Readonly<Record<string, string>> = {
  ...{ awaiting: 'w', submitting: 's', received: 'r', failed: 'f', unknown: 'u' },
  ...{ rejected: 'j', withdrawn: 't', expired: 'e', gone: '-' },
}

function format(state: string, posts: number): string {
  const letter = LETTERS[state] ?? state
  if (posts > 1) return `sent ${posts} times`
  if (posts === 0) return letter
  return letter === '-' ? '=' : letter.toUpperCase()
}

it.each(eitherOf(SHARED_DATABASES))(
  `two events lead where the table says, and break no rule, in ${PAIRS} of 432 cases on $name (seed ${SEED})`,
  async ({ start: startDatabase }) => {
    for (const { start, first, second, expected } of CASES ?? []) {
      await using database = await startDatabase()
      const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') }
      const opened = { ...database, clock: () => new Date(clock.now) }
      await using one = await openStore(opened)
      await using two = await openStore(opened)
      const model = await createModel([one, two], clock, [0, 0])
      await model.request(0, 'UREQUESTER')
      for (const take of [STARTS[start], EVENTS[first], EVENTS[second]]) await take?.(model)
      const [state = 'gone'] = await model.states()
      const reached = format(state, model.posts())
      expect([start, first, second, reached, await model.finish()]).toEqual([
        start,
        first,
        second,
        expected,
        [],
      ])
    }
  },
)
