import { expect, it } from 'vitest'
import { type Incident, MAX_DOWNS } from '../../../../src/domain/outages/incident.ts'
import {
  decidePoll,
  type PollResult,
  type PollState,
} from '../../../../src/features/watching/rules/decide-poll.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 28, 0, minute))
const result = (...bad: string[]): PollResult => ({
  bad: new Map(bad.map((name) => [name, { uuid: name, name }])),
  ...{ good: new Set(), installing: new Set(), deleted: new Set() },
})
const good = (...names: string[]): PollResult => ({ ...result(), good: new Set(names) })

/** Polls one after another: what is known after the last one. */
function poll(...polls: readonly (readonly [minute: number, PollResult, account?: string])[]) {
  let state: PollState = { polls: 0, failedPolls: 0 }
  const incidents = new Map<string, Incident>()
  const observed: unknown[] = []
  for (const [minute, outcome, account] of polls) {
    const open = [...incidents.values()].filter(({ closedAt }) => !closedAt)
    const known = new Map(open.map((incident) => [incident.check.uuid, incident]))
    const polled = { at: at(minute), intervalMs: 60_000, name: 'production', account }
    const changes = decidePoll(state, known, outcome, polled, () => `${minute}-${incidents.size}`)
    state = changes.state
    if (changes.observed) observed.push(changes.observed)
    for (const incident of changes.incidents) incidents.set(incident.id, incident)
  }
  return { state, observed, last: [...incidents.values()].at(-1) }
}

it('takes a poll of another account for a first one, and no other one', () => {
  const other = { ...result('old'), isAnotherAccount: true }
  expect(poll([0, result(), 'one'], [1, result(), 'one'], [2, other, 'two']).last?.isBaseline).toBe(true)
  for (const token of ['one', 'two'])
    expect(poll([0, result(), 'one'], [1, result('new'), token]).last?.isBaseline).toBe(false)
})

it('begins to count again after a poll with a clock that was ahead, and ends outages then', () => {
  const DAY = 24 * 60
  const { state, observed } = poll([0, result()], [5, result()], [DAY, result()], [6, result()])
  expect(state.seenSince).toEqual(at(6))
  expect(observed).toEqual([])
  const polls = Array.from({ length: 40 }, (_, minute) => [8 + minute, good('a')] as const)
  expect(poll([0, result()], [DAY, result()], [6, result('a')], ...polls).last?.ending).toBe('recovered')
})

it('says of what it finds down after a gap that this may have been so for longer', () => {
  expect(poll([0, result()], [1, result('a')]).last?.downs[0]?.isAtLeast).toBeUndefined()
  expect(poll([0, result()], [1, result()], [90, result('a')]).last?.downs[0]?.isAtLeast).toBe(true)
})

it('says of what comes up after a gap when it was last seen down', () => {
  const { last } = poll([0, result()], [1, result('a')], [2, result('a')], [90, good('a')])
  expect(last?.downs).toEqual([{ from: at(1), seenTo: at(2), to: at(90) }])
  expect(poll([0, result()], [1, result('a')], [2, good('a')]).last?.downs).toEqual([
    { from: at(1), to: at(2) },
  ])
})

it.each([
  ['', 0],
  [', also if the clock was ahead when they took it', 9999],
])('remembers who was released, however often it goes down%s', (_, taken) => {
  const bea = { by: 'U1', name: 'Bea', at: at(taken) }
  const first: Incident = {
    ...{ id: 'I', check: { uuid: 'a', name: 'a' }, isDown: false, isInstalling: false, badPolls: 1 },
    ...{ isBaseline: false, openedAt: at(0), onIt: bea, downs: [{ from: at(0), to: at(1) }] },
  }
  let incident = first
  let state: PollState = { polls: 5, failedPolls: 0, seenSince: at(-9), seenUntil: at(20), lastOkAt: at(10) }
  for (let minute = 11; minute < 11 + 4 * MAX_DOWNS; minute += 2) {
    const outcome = minute % 4 === 3 ? result('a') : good('a')
    const polled = { at: at(minute), intervalMs: 60_000, name: 'production' }
    const changes = decidePoll(state, new Map([['a', incident]]), outcome, polled, () => 'I')
    state = changes.state
    incident = changes.incidents[0] ?? incident
    expect(incident.onIt).toBeUndefined()
    expect(incident.wasOnIt).toMatchObject({ ...bea, because: 'relapse' })
  }
  expect(incident.downs).toHaveLength(MAX_DOWNS)
})
