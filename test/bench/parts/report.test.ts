import { expect, it } from 'vitest'
import { type Goal, isMet } from '../../../bench/parts/benchmark.ts'
import { formatReport } from '../../../bench/parts/report.ts'

const goals = [
  { goal: 'fast', bound: { atMost: 0.38 }, reached: 0.38 },
  { goal: 'many', bound: { atLeast: 2.5 }, reached: 2.49 },
  { goal: 'short', bound: { atMost: 5 }, reached: 3, unit: 'ms' },
] as const satisfies readonly Goal[]

it('goals are met at their limit and missed beyond it', () =>
  expect(goals.map(isMet)).toEqual([true, false, true]))

it('a report lists every row, and every goal with whether it is met', () => {
  const table = {
    title: 'Costs',
    columns: ['÷ raw', 'µs'],
    rows: [
      ['raw', 1, 40],
      ['ours', 1.5, undefined],
    ],
  } as const
  expect(formatReport({ tables: [table], goals }).split('\n')).toEqual([
    'Costs',
    '      ÷ raw    µs',
    'raw    1.00  40.0',
    'ours   1.50',
    '',
    'Goals',
    '                measured  goal',
    'met      fast       0.38  ≤ 0.38',
    'NOT MET  many       2.49  ≥ 2.5',
    'met      short   3.00 ms  ≤ 5 ms',
  ])
})
