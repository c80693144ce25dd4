import { expect, it } from 'vitest'
import { lookUpAdded, lookUpChanged } from '../../../src/features/alerts/find-alert.ts'
import type { Alert } from '../../../src/service/alerts.ts'

const createAlert = (id: string, ...recipients: string[]): Alert => ({ id, type: 'EMAIL', recipients })
const createReader = (...alerts: Alert[]) => ({ list: async () => alerts })

const alertBefore = createAlert('1', 'a@example.com')
const wantedRecipients = ['a@example.com', 'b@example.com']
/** The same recipients as `wantedRecipients`. The service may store them in any order and case. */
const storedRecipients = ['B@example.com', 'a@example.com']

it('finds the new alert regardless of the order and case of its stored recipients', async () => {
  const created = createAlert('2', ...storedRecipients)
  expect(await lookUpAdded(createReader(alertBefore, created), 'u', wantedRecipients, ['1'])).toEqual({
    outcome: created,
  })
  expect(
    await lookUpAdded(createReader(alertBefore, createAlert('2', 'b@example.com')), 'u', wantedRecipients, [
      '1',
    ]),
  ).toBe('not-done')
  expect(
    await lookUpAdded(createReader(createAlert('1', ...storedRecipients)), 'u', wantedRecipients, ['1']),
  ).toBe('not-done')
})

it.each([
  { recipients: storedRecipients, expected: { outcome: createAlert('1', ...storedRecipients) } },
  { recipients: ['A@example.com'], expected: 'not-done' },
  { recipients: ['c@example.com'], expected: 'unknown' },
])(
  'tells whether the edit was made if the recipients are now $recipients',
  async ({ recipients, expected }) => {
    expect(
      await lookUpChanged(createReader(createAlert('1', ...recipients)), 'u', alertBefore, wantedRecipients),
    ).toEqual(expected)
  },
)
