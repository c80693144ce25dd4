import { describe, expect, it } from 'vitest'
import { applyChanges, replaceList } from '../../../src/features/alerts/rules/recipients.ts'

describe('a change to the recipients', () => {
  it.each([
    { before: ['a@x.test'], wanted: ['a@X.test'], recipients: ['a@x.test'], added: [], removed: [] },
    {
      before: ['a@x.test', 'b@x.test'],
      wanted: ['c@x.test', 'b@x.test'],
      recipients: ['b@x.test', 'c@x.test'],
      added: ['c@x.test'],
      removed: ['a@x.test'],
    },
    { before: [], wanted: ['a@x.test'], recipients: ['a@x.test'], added: ['a@x.test'], removed: [] },
  ])('is computed from $before to $wanted', ({ before, wanted, ...change }) => {
    expect(replaceList(before, wanted)).toEqual(change)
  })

  it('keeps all other recipients, including invalid and repeated entries', () => {
    const before = ['odd', 'a@x.test', 'a@x.test', 'b@x.test']
    expect(applyChanges(before, ['c@x.test', 'a@X.test'], ['b@X.test'])).toEqual({
      recipients: ['odd', 'a@x.test', 'a@x.test', 'c@x.test'],
      added: ['c@x.test'],
      removed: ['b@x.test'],
    })
  })
})
