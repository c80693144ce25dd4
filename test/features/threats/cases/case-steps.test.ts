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
const standing = (state: CaseState, holder = ANN): CaseStatus => ({ state, holder })
const nobodys = (state: CaseState): CaseStatus => ({ state, holder: undefined })
const OPEN = nobodys('open')

describe('a step of a case', () => {
  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [undefined, 'take', standing('taken', BEN)],
    [undefined, 'false-positive', standing('false-positive', BEN)],
    [undefined, 'release', undefined],
    [undefined, 'note', undefined],
    [OPEN, 'take', standing('taken', BEN)],
    [OPEN, 'release', undefined],
    [OPEN, 'down', standing('down', BEN)],
    [standing('taken', BEN), 'take', undefined],
    [standing('taken'), 'take', standing('taken', BEN)],
    [standing('taken'), 'release', undefined],
    [standing('taken', BEN), 'release', OPEN],
    [standing('taken'), 'takedown-sent', standing('takedown-sent')],
    [standing('takedown-sent'), 'takedown-sent', undefined],
    [standing('takedown-sent'), 'take', standing('takedown-sent', BEN)],
    [standing('takedown-sent', BEN), 'release', nobodys('takedown-sent')],
    [nobodys('takedown-sent'), 'down', standing('down', BEN)],
    [standing('down'), 'take', undefined],
    [standing('down'), 'false-positive', undefined],
    [standing('down'), 'reopen', standing('taken', BEN)],
    [standing('false-positive'), 'reopen', standing('taken', BEN)],
    [standing('false-positive'), 'note', standing('false-positive')],
    [standing('taken'), 'up', standing('taken')],
    [standing('down'), 'up', undefined],
    [undefined, 'up', undefined],
  ])('leads from %j by Ben: %s', (before, kind, after) => {
    expect(afterStep(before, kind, BEN)).toEqual(after)
  })

  it.each<[CaseStatus | undefined, CaseStepKind, CaseStatus | undefined]>([
    [standing('takedown-sent'), 'down', standing('down')],
    [standing('down'), 'reopen', undefined],
    [standing('taken'), 'take', undefined],
    [standing('takedown-sent'), 'note', standing('takedown-sent')],
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
    const led = tried.flatMap(({ state, after }) => (after ? [`${state} ${after.state}`] : []))
    expect(led.filter((move) => !allowed.has(move))).toEqual([])
  })
})
