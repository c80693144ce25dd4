import { expect, it } from 'vitest'
import {
  addRecipient,
  buildAlertRequests,
  isOnTheWay,
  listRemovedRecipients,
  replaceRecipient,
  sameAlerts,
} from '../../../../src/features/health-checks/rules/alert-requests.ts'

const MANY = 5000

/** Counts how often anything is read from these, and from what is in them. */
function countReads<T extends object>(items: readonly T[]) {
  let count = 0
  const watch = <Item extends object>(item: Item): Item =>
    new Proxy(item, {
      get(target, key) {
        count += 1
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'object' && value !== null ? watch(value) : value
      },
    })
  return { items: items.map(watch), count: () => count }
}

it('compares the recipients and alerts of a check with as many looks as there are', () => {
  const toAlerts = (size: number, from = 0) =>
    Array.from({ length: size }, (_, at) => ({
      ...{ id: `${at}`, type: 'EMAIL', recipients: [`person-${at + from}@example.com`] },
    }))
  const alerts = countReads(toAlerts(MANY))
  const wanted = countReads(toAlerts(MANY, MANY / 2))
  expect(buildAlertRequests(alerts.items, wanted.items)).toHaveLength(MANY / 2)
  expect(isOnTheWay(alerts.items, alerts.items, wanted.items)).toBe(true)
  expect(sameAlerts(alerts.items, wanted.items)).toBe(false)
  expect(listRemovedRecipients(alerts.items, wanted.items)).toHaveLength(MANY / 2)
  expect(replaceRecipient(alerts.items, 'person-0@example.com', undefined)).toHaveLength(MANY - 1)
  expect(addRecipient(alerts.items, 'zoe@example.com')).toHaveLength(MANY)
  expect(alerts.count() + wanted.count()).toBeLessThan(300 * MANY)
})
