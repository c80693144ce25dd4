import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addRecipient,
  buildAlertRequests,
  isOnTheWay,
  listRemovedRecipients,
  replaceRecipient,
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

it('changes only what it’s asked to of any alerts, and keeps everybody else in the alert that mails them', () => {
  const people = ['ann', 'bob', 'cat', 'dan']
  const many = fc.array(fc.subarray(people, { minLength: 1 }), { minLength: 2, maxLength: 4 })
  const without = (alert: readonly string[], gone: string) => alert.filter((each) => each !== gone)
  fc.assert(
    fc.property(
      many,
      fc.constantFrom(...people),
      fc.constantFrom('eve', ...people),
      (before, picked, added) => {
        const alerts = before.map((recipients) => ({ type: 'EMAIL', recipients }))
        const removed = replaceRecipient(alerts, picked, undefined).map(({ recipients }) => recipients)
        expect(removed).toEqual(
          before.map((alert) => without(alert, picked)).filter(({ length }) => length > 0),
        )
        const replaced = replaceRecipient(alerts, picked, added).map(({ recipients }) => recipients)
        expect(replaced).toEqual(
          before.map((alert) => {
            const kept = without(alert, picked)
            return kept.length < alert.length ? [...new Set([...kept, added])] : alert
          }),
        )
        const [first, ...others] = addRecipient(alerts, picked).map(({ recipients }) => recipients)
        expect(others).toEqual(before.slice(1))
        expect(first).toEqual([...(before[0] ?? []), ...(before.flat().includes(picked) ? [] : [picked])])
      },
    ),
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
  expect(addRecipient(before, 'ann').map(({ recipients }) => recipients)).toEqual(after)
})
