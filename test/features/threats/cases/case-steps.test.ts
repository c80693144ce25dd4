import { describe, expect, it } from 'vitest'
import {
  CASE_STATES,
  type CaseState,
  type CaseStatus,
  type CaseStepKind,
  caseTransitions,
  listPossibleSteps,
  statusAfterStep,
} from '../../../../src/features/threats/rules/case-steps.ts'

const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }
const assigned = (state: CaseState, holder = ANN): CaseStatus => ({ state, holder })
const unassigned = (state: CaseState): CaseStatus => ({ state, holder: undefined })
const OPEN = unassigned('open')

describe('the status of a case', () => {
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
  ])(
    'changes from %j with Ben’s step %s to %j (undefined if the step isn’t possible)',
    (before, kind, after) => {
      expect(statusAfterStep(before, kind, BEN)).toEqual(after)
    },
  )

  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [assigned('takedown-sent'), 'down', assigned('down')],
    [assigned('down'), 'reopen', undefined],
    [assigned('taken'), 'take', undefined],
    [assigned('takedown-sent'), 'note', assigned('takedown-sent')],
  ])(
    'changes from %j with the automatic step %s to %j (undefined if the step isn’t possible)',
    (before, kind, after) => {
      expect(statusAfterStep(before, kind, undefined)).toEqual(after)
    },
  )

  it('changes only to states that `caseTransitions` allows', () => {
    const allowed = new Set(caseTransitions.map(([from, to]) => `${from} ${to}`))
    const attempts = CASE_STATES.flatMap((state) =>
      [undefined, ANN, BEN].flatMap((holder) =>
        listPossibleSteps(state).flatMap((kind) =>
          [undefined, BEN].map((by) => ({ state, after: statusAfterStep({ state, holder }, kind, by) })),
        ),
      ),
    )
    const moves = attempts.flatMap(({ state, after }) => (after ? [`${state} ${after.state}`] : []))
    expect(moves.filter((move) => !allowed.has(move))).toEqual([])
  })
})
