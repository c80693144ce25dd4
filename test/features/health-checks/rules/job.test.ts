import { expect, it } from 'vitest'
import { STEP_STATES, type StepState } from '../../../../src/features/health-checks/rules/change.ts'
import {
  countSettledSteps,
  countSteps,
  nextActions,
  type StepCounts,
} from '../../../../src/features/health-checks/rules/job.ts'

const NONE: StepCounts = {
  ready: 0,
  begun: 0,
  done: 0,
  partial: 0,
  refused: 0,
  same: 0,
  skipped: 0,
  unclear: 0,
}

it.each<{ state: StepState; settled: boolean; offers: readonly string[] }>([
  { state: 'ready', settled: false, offers: ['canContinue'] },
  { state: 'begun', settled: false, offers: ['canContinue', 'canUndo'] },
  { state: 'partial', settled: false, offers: ['canContinue', 'canUndo'] },
  { state: 'done', settled: true, offers: ['canUndo'] },
  { state: 'same', settled: true, offers: [] },
  { state: 'skipped', settled: true, offers: [] },
  { state: 'refused', settled: true, offers: ['canTryAgain'] },
  { state: 'unclear', settled: true, offers: ['canTryAgain'] },
])('offers $offers for a step that is $state', ({ state, settled, offers }) => {
  const counts = { ...NONE, [state]: 1 }
  expect(countSteps(counts)).toBe(1)
  expect(countSettledSteps(counts)).toBe(settled ? 1 : 0)
  const offered = Object.entries(nextActions({ undoes: undefined }, counts))
  expect(offered.flatMap(([action, isOffered]) => (isOffered ? [action] : []))).toEqual(offers)
  expect(nextActions({ undoes: 'job' }, counts).canUndo).toBe(false)
})

it('knows every state of a step', () => {
  expect(Object.keys(NONE).toSorted()).toEqual(STEP_STATES.toSorted())
})
