import { expect, it } from 'vitest'
import { lookUpAdded, lookUpChanged } from '../../../src/features/alerts/find-alert.ts'
import type { Alert } from '../../../src/service/alerts.ts'

const alert = (id: string, ...recipients: string[]): Alert => ({ id, type: 'EMAIL', recipients })
const listing = (...alerts: Alert[]) => ({ list: async () => alerts })

const before = alert('1', 'a@example.com')
const wanted = ['a@example.com', 'b@example.com']
/** The service may store them in any order and case. */
const storedRecipients = ['B@example.com', 'a@example.com']

it('finds the new alert whatever the order and spelling of its stored recipients', async () => {
  const created = alert('2', ...storedRecipients)
  expect(await lookUpAdded(listing(before, created), 'u', wanted, ['1'])).toEqual({ outcome: created })
  expect(await lookUpAdded(listing(before, alert('2', 'b@example.com')), 'u', wanted, ['1'])).toBe('not-done')
  expect(await lookUpAdded(listing(alert('1', ...storedRecipients)), 'u', wanted, ['1'])).toBe('not-done')
})

it.each([
  { now: storedRecipients, found: { outcome: alert('1', ...storedRecipients) } },
  { now: ['A@example.com'], found: 'not-done' },
  { now: ['c@example.com'], found: 'unknown' },
])('recognizes whether the alert was changed: $now', async ({ now, found }) => {
  expect(await lookUpChanged(listing(alert('1', ...now)), 'u', before, wanted)).toEqual(found)
})
