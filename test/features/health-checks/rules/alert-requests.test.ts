import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addRecipients,
  buildAlertRequests,
  isOnTheWay,
  listRemovedRecipients,
  sameAlerts,
} from '../../../../src/features/health-checks/rules/alert-requests.ts'
import type { AlertBody } from '../../../../src/service/alerts.ts'

const lists = fc
  .array(fc.subarray(['ann', 'bob', 'cat'], { minLength: 1 }), { maxLength: 4 })
  .map((all) => all.map((recipients, id) => ({ id: String(id), type: 'EMAIL', recipients })))

it('makes the wanted alerts of any others, and each step on the way counts as ours', () => {
  fc.assert(
    fc.property(lists, lists, (before, wanted) => {
      const now = new Map<string, AlertBody>(before.map((alert) => [alert.id, alert]))
      for (const [index, request] of buildAlertRequests(before, wanted).entries()) {
        if (request.do === 'delete') now.delete(request.id)
        else now.set(request.do === 'update' ? request.id : `new ${index}`, request.body)
        expect(isOnTheWay(before, [...now.values()], wanted)).toBe(true)
      }
      expect(sameAlerts([...now.values()], wanted)).toBe(true)
    }),
  )
})

it('names an address that several alerts mail, or mail in other spellings, once', () => {
  const alert = (...recipients: string[]) => ({ type: 'EMAIL', recipients })
  const before = [alert('ann@example.com', 'ANN@example.com'), alert('Ann@Example.com', 'bob@example.com')]
  expect(listRemovedRecipients(before, [alert('BOB@example.com')])).toEqual(['ann@example.com'])
})

it.each<[before: AlertBody[], after: string[][]]>([
  [[], [['ann']]],
  [[{ type: '', recipients: ['bob'] }], [['bob', 'ann']]],
  [[{ type: 'SMS', recipients: ['bob'] }], [['bob'], ['ann']]],
  [
    [
      { type: 'SMS', recipients: [] },
      { type: 'EMAIL', recipients: ['bob'] },
    ],
    [[], ['bob', 'ann']],
  ],
  [[{ type: 'EMAIL', recipients: ['ANN'] }], [['ANN']]],
])('adds an address to the first alert that sends email: %o', (before, after) => {
  expect(addRecipients(before, ['ann']).map(({ recipients }) => recipients)).toEqual(after)
})
