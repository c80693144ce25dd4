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
const status = (state: CaseState, holder = ANN): CaseStatus => ({ state, holder })
const unassigned = (state: CaseState): CaseStatus => ({ state, holder: undefined })
const OPEN = unassigned('open')

describe('a step of a case', () => {
  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [undefined, 'take', status('taken', BEN)],
    [undefined, 'false-positive', status('false-positive', BEN)],
    [undefined, 'release', undefined],
    [undefined, 'note', undefined],
    [OPEN, 'take', status('taken', BEN)],
    [OPEN, 'release', undefined],
    [OPEN, 'down', status('down', BEN)],
    [status('taken', BEN), 'take', undefined],
    [status('taken'), 'take', status('taken', BEN)],
    [status('taken'), 'release', undefined],
    [status('taken', BEN), 'release', OPEN],
    [status('taken'), 'takedown-sent', status('takedown-sent')],
    [status('takedown-sent'), 'takedown-sent', undefined],
    [status('takedown-sent'), 'take', status('takedown-sent', BEN)],
    [status('takedown-sent', BEN), 'release', unassigned('takedown-sent')],
    [unassigned('takedown-sent'), 'down', status('down', BEN)],
    [status('down'), 'take', undefined],
    [status('down'), 'false-positive', undefined],
    [status('down'), 'reopen', status('taken', BEN)],
    [status('false-positive'), 'reopen', status('taken', BEN)],
    [status('false-positive'), 'note', status('false-positive')],
    [status('taken'), 'up', status('taken')],
    [status('down'), 'up', undefined],
    [undefined, 'up', undefined],
  ])('leads from %j by Ben: %s', (before, kind, after) => {
    expect(afterStep(before, kind, BEN)).toEqual(after)
  })

  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [status('takedown-sent'), 'down', status('down')],
    [status('down'), 'reopen', undefined],
    [status('taken'), 'take', undefined],
    [status('takedown-sent'), 'note', status('takedown-sent')],
  ])('leads from %j without a person: %s', (before, kind, after) => {
    expect(afterStep(before, kind, undefined)).toEqual(after)
  })

  it('is possible only if the table says so', () => {
    const allowed = new Set(caseMoves.map(([from, to]) => `${from} ${to}`))
    const tried = CASE_STATES.flatMap((state) =>
      [undefined, ANN, BEN].flatMap((holder) =>
        stepsFrom(state).flatMap((kind) =>
          [undefined, BEN].map((by) => ({ state, after: afterStep({ state, holder }, kind, by) })),
        ),
      ),
    )
    const reached = tried.flatMap(({ state, after }) => (after ? [`${state} ${after.state}`] : []))
    expect(reached.filter((move) => !allowed.has(move))).toEqual([])
  })
})
