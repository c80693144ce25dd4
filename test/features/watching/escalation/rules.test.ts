import { describe, expect, it } from 'vitest'
import {
  aloneSince,
  nextCall,
  readEscalation,
  writeEscalation,
} from '../../../../src/features/watching/escalation/rules.ts'
import { readyWatch } from '../../../../src/features/watching/rules/subjects.ts'
import { EVERY_CHECK, type Watch } from '../../../../src/features/watching/rules/watch.ts'

const MINUTE_MS = 60_000
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20) + minute * MINUTE_MS)

describe('whom a watch calls', () => {
  it.each([
    ['10m @oncall, 30m @lead', '10m @oncall, 30m @lead'],
    ['10m oncall', '10m @oncall'],
    ['1h 30m @lead @ann', '90m @lead @ann'],
    ['5m @a,10m @b,  1h @c', '5m @a, 10m @b, 60m @c'],
  ])('is read from "%s"', (typed, written) => {
    const steps = readEscalation(typed)
    expect(writeEscalation(steps)).toBe(written)
    expect(readEscalation(written)).toEqual(steps)
  })

  it.each([
    '',
    '@oncall',
    '10m',
    '10m @a, 5m @b',
    '10m @a, 10m @b',
    '1m @a, 2m @b, 3m @c, 4m @d',
    '10m @a @b @c @d @e @f',
    '25h @a',
    'soon @a',
    `10m @${'a'.repeat(100)}`,
  ])('is not read from "%s"', (typed) => {
    expect(() => readEscalation(typed)).toThrow('takes')
  })
})

const watch = (name: string, escalation: string): Watch => ({
  ...{ id: name, workspaceId: 'T1', channelId: 'C1', environment: 'production', filter: EVERY_CHECK },
  ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: at(0), changedAt: at(0) },
  baselinePoll: 0,
  filter: { include: [{ field: 'name', pattern: name }], exclude: [] },
  escalation: readEscalation(escalation),
})
const outage = (name: string, from = 0, to?: number) => ({
  ...{
    id: `${name} ${from}`,
    check: { uuid: name, name },
    status: 'UNHEALTHY' as const,
    startedAt: at(from),
  },
  ...(to !== undefined && { endedAt: at(to) }),
  ...{ isBaseline: false, badPolls: 1 },
})
const card = (kind: 'outage' | 'flapping' | 'storm', takenAt?: number) => ({
  ...(takenAt !== undefined && { takings: [{ by: 'U1', name: 'Ann', at: at(takenAt) }] }),
  ...{
    id: 'card',
    environment: 'production' as const,
    channelId: 'C1',
    kind,
    openedAt: at(3),
    changedAt: at(3),
  },
})

describe('the next call', () => {
  const watches = [watch('web*', '10m @oncall, 30m @lead'), watch('*-1', '10m @shop')].map(readyWatch)
  const next = (names: readonly string[], past: readonly (readonly [afterMinutes: number, at: number])[]) => {
    const found = nextCall(
      watches,
      names.map((name) => outage(name)),
      {
        since: at(100),
        past: past.map(([minutes, when]) => ({ afterMs: minutes * MINUTE_MS, at: at(when), isTold: true })),
      },
    )
    return found && [(Number(found.at) - Number(at(100))) / MINUTE_MS, ...found.call.map(({ name }) => name)]
  }

  it.each([
    { what: 'is that of whatever is down', names: ['web-2'], past: [], is: [10, '@oncall'] },
    { what: 'is of all watches together', names: ['web-1'], past: [], is: [10, '@oncall', '@shop'] },
    { what: 'is the step behind the last one', names: ['web-1'], past: [[10, 110]], is: [30, '@lead'] },
    {
      what: 'is none after the last',
      names: ['web-1'],
      past: [
        [10, 110],
        [30, 130],
      ],
      is: undefined,
    },
    { what: 'is none of what nobody asked for', names: ['bank'], past: [], is: undefined },
    // What was called about an hour before is called about again; sooner it flaps.
    { what: 'comes again after an hour', names: ['web-2'], past: [[10, 39]], is: [10, '@oncall'] },
    { what: 'does not come again so soon', names: ['web-2'], past: [[10, 41]], is: [30, '@lead'] },
  ] as const)('$what', ({ names, past, is }) => {
    expect(next(names, past)).toEqual(is)
  })

  it('counts from when nobody was on what is down now', () => {
    const outages = [outage('web', 5, 6), outage('web', 9)]
    expect(aloneSince(card('outage'), outages)).toEqual(at(9))
    expect(aloneSince(card('flapping'), outages)).toEqual(at(5))
    expect(aloneSince(card('storm'), outages.slice(1))).toEqual(at(9))
  })

  it('counts no time before all of it was over last, or in which somebody was on it', () => {
    const storm = [outage('a', 1, 6), outage('b', 3, 5), outage('c', 5)]
    expect(aloneSince(card('storm'), storm)).toEqual(at(3))
    expect(aloneSince(card('storm'), [...storm.slice(0, 2), outage('a', 20)])).toEqual(at(20))
    // What flaps is over once it is quiet.
    const flips = [outage('web', 5, 6), outage('web', 12, 15), outage('web', 20, 30)]
    expect(aloneSince(card('flapping'), [...flips, outage('web', 61)])).toEqual(at(61))
    expect(aloneSince(card('flapping', 6), [...flips, outage('web', 40)])).toEqual(at(12))
    // By another clock.
    expect(aloneSince(card('outage', 99), flips)).toEqual(at(20))
  })
})
