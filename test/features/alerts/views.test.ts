import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addForm, editForm, fitsField, removeForm } from '../../../src/features/alerts/forms.ts'
import { replaceList } from '../../../src/features/alerts/rules/recipients.ts'
import { alertsView, changedView } from '../../../src/features/alerts/views.ts'
import type { Alert } from '../../../src/service/alerts.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { toSentMessage, toSentModal } from '../threats/sent-views.ts'

const now = new Date('2026-11-20T12:00:00Z')

// Inputs that have broken views before: markup, mentions, bidirectional marks, empty text, and very long text.
const hostileText = fc.oneof(
  fc.constantFrom('', ' ', '<!channel>', '<@U0MEMBER01>', '*a* _b_ `c` :tada:', '\u202egnp.exe', '\ud83d'),
  fc.constantFrom('x'.repeat(10_000), '👩‍👩‍👧'.repeat(2000), 'ب'.repeat(4000), 'a\n'.repeat(3000)),
  fc.string({ unit: ANY_CHARACTER }),
  fc.emailAddress(),
)
const recipients = fc.oneof(
  fc.array(hostileText, { maxLength: 30 }),
  fc
    .integer({ min: 1, max: 2000 })
    .map((count) => Array.from({ length: count }, (_, index) => `p${index}@example.com`)),
)
const alert = fc.record<Alert>({
  id: fc.oneof(fc.nat().map(String), fc.constant('')),
  unreadable: fc.constantFrom(undefined, 1, 30),
  type: fc.oneof(fc.constant('EMAIL'), hostileText),
  recipients,
  createdAt: fc.option(fc.oneof(hostileText, fc.constant(now.toISOString())), { nil: undefined }),
  createdBy: fc.option(hostileText, { nil: undefined }),
  modifiedAt: fc.constant(now.toISOString()),
  modifiedBy: fc.option(hostileText, { nil: undefined }),
})
const check = hostileText.map((name) => ({
  uuid: '6f1c0d52-4f0e-4a5e-9d51-0b6c1a9a7e11',
  name,
  status: 'HEALTHY',
}))
const environment = fc.constantFrom('production' as const, 'ote' as const)

describe('any response of the service', () => {
  it('becomes a message that Slack accepts', () => {
    fc.assert(
      fc.property(
        check,
        fc.array(alert, { maxLength: 40 }),
        fc.nat(9),
        environment,
        (check, alerts, page, environment) => {
          const { text, blocks } = alertsView(check, alerts, { page, environment, now })
          expect(JSON.stringify(toSentMessage({ text, blocks }).blocks)).not.toContain('undefined')
          expect(text).not.toMatch(/<!channel>|<@/)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('becomes modals that Slack accepts', () => {
    fc.assert(
      fc.property(check, alert, environment, (check, alert, environment) => {
        for (const modal of [
          addForm.open(environment, check, 'account'),
          editForm.open(environment, check, alert, 'account'),
          removeForm.open(environment, check, alert, 'account'),
        ])
          toSentModal(modal)
      }),
      { numRuns: 60 },
    )
  })

  it('becomes an outcome that Slack accepts', () => {
    fc.assert(
      fc.property(recipients, recipients, hostileText, environment, (before, wanted, name, environment) => {
        const target = { uuid: 'u', name, environment }
        const outcome = changedView(target, replaceList(before, wanted), wanted)
        toSentMessage(outcome)
      }),
      { numRuns: 60 },
    )
  })

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
    const options = { page: 1, environment: 'production', now } as const
    const view = alertsView(
      { uuid: 'u', name: 'web', status: '' },
      [{ id: '1', type: 'EMAIL', ...alert }],
      options,
    )
    expect(view.text.split('\n')[0]).toMatch(new RegExp(`^${expectedText}( · |$)`))
  })

  it('isn’t edited as a list if one recipient isn’t a valid address', () => {
    expect(fitsField(['ann@example.com', 'bob@example.com'])).toBe(true)
    expect(fitsField(['nobody'])).toBe(false)
  })
})
