import { describe, expect, it } from 'vitest'
import {
  type CaseState,
  type CaseStepKind,
  statusAfterStep,
} from '../../../../src/features/threats/rules/threat-case.ts'

const ANN = { userId: 'U1', name: 'Ann' }
const BEN = { userId: 'U2', name: 'Ben' }

const afterStep = (
  state: CaseState | 'none',
  kind: CaseStepKind,
  { holder, seenVersion }: { holder?: typeof ANN; seenVersion?: number } = {},
) =>
  statusAfterStep(state === 'none' ? undefined : { state, holder, version: 3 }, {
    kind,
    by: BEN,
    seenVersion,
  })

describe('the status of a case', () => {
  it.each<[CaseState | 'none', typeof ANN | undefined, CaseStepKind, object]>([
    ['none', undefined, 'take', { state: 'taken', holder: BEN }],
    ['none', undefined, 'false-positive', { state: 'false-positive', holder: BEN }],
    ['none', undefined, 'note', { refusal: 'no-case' }],
    ['open', undefined, 'take', { state: 'taken', holder: BEN }],
    ['open', undefined, 'note', { state: 'open', holder: undefined }],
    ['open', undefined, 'down', { state: 'down', holder: BEN }],
    ['taken', BEN, 'take', { refusal: 'yours-already' }],
    ['taken', ANN, 'take', { refusal: 'held-by-other' }],
    ['taken', BEN, 'down', { state: 'down', holder: BEN }],
    ['taken', ANN, 'down', { refusal: 'held-by-other' }],
    ['taken', ANN, 'other', { refusal: 'held-by-other' }],
    ['taken', ANN, 'note', { state: 'taken', holder: ANN }],
    ['down', ANN, 'take', { state: 'taken', holder: BEN }],
    ['down', BEN, 'take', { state: 'taken', holder: BEN }],
    ['down', ANN, 'false-positive', { refusal: 'ended' }],
    ['false-positive', BEN, 'other', { refusal: 'ended' }],
    ['other', BEN, 'down', { refusal: 'ended' }],
    ['other', ANN, 'note', { state: 'other', holder: ANN }],
  ])('changes from %s (of %j) with Ben’s step %s to %j', (state, holder, kind, expected) => {
    expect(afterStep(state, kind, holder && { holder })).toEqual(expected)
  })

  it.each([
    { kind: 'take', after: { state: 'taken', holder: BEN } },
    { kind: 'down', after: { state: 'down', holder: ANN } },
  ] as const)('takes Ben’s step $kind in Ann’s case only if he saw the newest version', ({ kind, after }) => {
    expect(afterStep('taken', kind, { holder: ANN, seenVersion: 2 })).toEqual({ refusal: 'held-by-other' })
    expect(afterStep('taken', kind, { holder: ANN, seenVersion: 3 })).toEqual(after)
  })
})
