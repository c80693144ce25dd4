import { expect, it } from 'vitest'
import { findReplacement } from '../../../../src/features/health-checks/jobs/store-outcomes.ts'

const CREATE = { do: 'create', replaces: 'old' }

it.each([
  {
    label: 'recreated a check',
    state: 'done',
    record: { step: CREATE, uuid: 'new' },
    found: [['old', 'new']],
  },
  { label: 'may have', state: 'unclear', record: { step: CREATE, uuid: 'new' }, found: [] },
  { label: 'has no UUID', state: 'done', record: { step: CREATE }, found: [] },
  {
    label: 'created another check',
    state: 'done',
    record: { step: { do: 'create' }, uuid: 'new' },
    found: [],
  },
  {
    label: 'edited a check',
    state: 'done',
    record: { step: { ...CREATE, do: 'edit' }, uuid: 'new' },
    found: [],
  },
])('finds what a step replaced that $label', ({ state, record, found }) => {
  expect(findReplacement({ state, record } as never)).toEqual(found)
})
