import { commandButton, message, redactEmailAddresses, section } from '@signalman/slack'
import { describe, expect, it } from 'vitest'

describe('a message with redacted email addresses', () => {
  it.each([
    ['ops@example.com', '•••'],
    ['Mails: a.b+c@mail.example.co.uk, zoë@büro.example.', 'Mails: •••, •••.'],
    ['<mailto:ops@example.com|ops@example.com>', '<mailto:•••|•••>'],
    ['"ops@example.com"', '"•••"'],
    ['ask @on-call at 9', 'ask @on-call at 9'],
    ['root@localhost', 'root@localhost'],
    ['<@U0MEMBER01>', '<@U0MEMBER01>'],
  ])('shows %s as %s', (text, shown) => {
    const { message: hidden, wasRedacted } = redactEmailAddresses(message(text, section(text)))
    expect(hidden.text).toBe(shown)
    expect(JSON.stringify(hidden.blocks)).toContain(JSON.stringify(shown).slice(1, -1))
    expect(wasRedacted).toBe(text !== shown)
  })

  it('drops buttons that contain an address, and keeps the others', () => {
    const { blocks } = redactEmailAddresses({
      text: 'Recipients',
      blocks: [
        {
          type: 'actions',
          elements: [
            commandButton('Remove', '/hc recipients --remove ops@example.com'),
            commandButton('Details', '/hc show web'),
          ],
        },
      ],
    }).message
    expect(JSON.stringify(blocks)).toContain('/hc show web')
    expect(JSON.stringify(blocks)).not.toContain('ops@')
  })

  it('is never longer than the original', () => {
    const text = Array.from({ length: 200 }, (_, nth) => `${nth}@b.c`).join(' ')
    expect(redactEmailAddresses(message(text, section(text))).message.text.length).toBeLessThanOrEqual(
      text.length,
    )
  })
})
