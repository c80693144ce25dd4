import { describe, expect, it } from 'vitest'
import {
  afterStep,
  CASE_STATES,
  type CaseState,
  type CaseStatus,
  type CaseStepKind,
  caseMoves,
  stepsFrom,
} from '../../../../src/features/threats/rules/case-steps.ts'

const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }
const assigned = (state: CaseState, holder = ANN): CaseStatus => ({ state, holder })
const unassigned = (state: CaseState): CaseStatus => ({ state, holder: undefined })
const OPEN = unassigned('open')

describe('a step of a case', () => {
  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [undefined, 'take', assigned('taken', BEN)],
    [undefined, 'false-positive', assigned('false-positive', BEN)],
    [undefined, 'release', undefined],
    [undefined, 'note', undefined],
    [OPEN, 'take', assigned('taken', BEN)],
    [OPEN, 'release', undefined],
    [OPEN, 'down', assigned('down', BEN)],
    [assigned('taken', BEN), 'take', undefined],
    [assigned('taken'), 'take', assigned('taken', BEN)],
    [assigned('taken'), 'release', undefined],
    [assigned('taken', BEN), 'release', OPEN],
    [assigned('taken'), 'takedown-sent', assigned('takedown-sent')],
    [assigned('takedown-sent'), 'takedown-sent', undefined],
    [assigned('takedown-sent'), 'take', assigned('takedown-sent', BEN)],
    [assigned('takedown-sent', BEN), 'release', unassigned('takedown-sent')],
    [unassigned('takedown-sent'), 'down', assigned('down', BEN)],
    [assigned('down'), 'take', undefined],
    [assigned('down'), 'false-positive', undefined],
    [assigned('down'), 'reopen', assigned('taken', BEN)],
    [assigned('false-positive'), 'reopen', assigned('taken', BEN)],
    [assigned('false-positive'), 'note', assigned('false-positive')],
    [assigned('taken'), 'up', assigned('taken')],
    [assigned('down'), 'up', undefined],
    [undefined, 'up', undefined],
  ])('leads from %j by Ben: %s', (before, kind, after) => {
    expect(afterStep(before, kind, BEN)).toEqual(after)
  })

  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [assigned('takedown-sent'), 'down', assigned('down')],
    [assigned('down'), 'reopen', undefined],
    [assigned('taken'), 'take', undefined],
    [assigned('takedown-sent'), 'note', assigned('takedown-sent')],
  ])('leads from %j without a person: %s', (before, kind, after) => {
    expect(afterStep(before, kind, undefined)).toEqual(after)
  })

  it('leads only to the states that `caseMoves` allows', () => {
    const allowed = new Set(caseMoves.map(([from, to]) => `${from} ${to}`))
    const attempts = CASE_STATES.flatMap((state) =>
      [undefined, ANN, BEN].flatMap((holder) =>
        stepsFrom(state).flatMap((kind) =>
          [undefined, BEN].map((by) => ({ state, after: afterStep({ state, holder }, kind, by) })),
        ),
      ),
    )
    const moves = attempts.flatMap(({ state, after }) => (after ? [`${state} ${after.state}`] : []))
    expect(moves.filter((move) => !allowed.has(move))).toEqual([])
  })
})
