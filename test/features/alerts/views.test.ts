import { describe, expect, it } from 'vitest'
import { fitsField } from '../../../src/features/alerts/forms.ts'
import { alertsView } from '../../../src/features/alerts/views.ts'

const now = new Date('2026-11-20T12:00:00Z')

describe('any response of the service', () => {
  it.each([
    { recipients: ['a@example.com', 'A@Example.com'], expectedText: 'web emails 1 recipient' },
    { recipients: ['a@example.com'], unreadable: 2, expectedText: 'web emails at least 1 recipient' },
    {
      recipients: [],
      unreadable: 1,
      expectedText: 'Signalman can’t read who gets an email when the status of web changes',
    },
    { recipients: [], expectedText: 'No one gets an email when the status of web changes' },
  ])('becomes text that starts with: $expectedText', ({ expectedText, ...alert }) => {
    const options = { page: 1, environment: 'production', now, watchLine: '' } as const
    const view = alertsView(
      { uuid: 'u', name: 'web', status: '' },
      [{ id: '1', type: 'EMAIL', ...alert }],
      options,
    )
    expect(view.text.split('\n')[0]).toMatch(new RegExp(`^${expectedText}( · |$)`))
  })

  it('isn’t edited as a list if a field can’t hold it', () => {
    expect(fitsField(['ann@example.com', 'bo@example.com'])).toBe(true)
    expect(fitsField(['ann@example.com', 'nobody'])).toBe(false)
    expect(fitsField(['two\nlines'])).toBe(false)
    expect(fitsField([''])).toBe(false)
    expect(fitsField(Array.from({ length: 2000 }, (_, index) => `person-${index}@example.com`))).toBe(false)
  })
})
