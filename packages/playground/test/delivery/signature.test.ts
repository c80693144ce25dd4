import { isValidSlackRequest } from '@slack/bolt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sign } from '../../src/delivery/app-link.ts'

const NOW_SECONDS = 1_795_000_000

/** Whether Slack's own library accepts the signature. */
function isAccepted(signingSecret: string, timestamp: number, body: string, signature: string): boolean {
  const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp }
  return isValidSlackRequest({ signingSecret, body, headers, nowMilliseconds: NOW_SECONDS * 1000 })
}

const secret = fc.string({ minLength: 1, unit: 'grapheme' })
const body = fc.string({ unit: 'grapheme' })
const seconds = fc.integer({ min: NOW_SECONDS - 290, max: NOW_SECONDS })

describe('the playground’s signature', () => {
  it('is accepted by Slack’s library for any secret, time, and body', () => {
    fc.assert(
      fc.property(secret, seconds, body, (key, at, text) => {
        expect(isAccepted(key, at, text, sign(key, String(at), text))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('is rejected by Slack’s library if the secret, time, or body differs', () => {
    const changedPart = fc.constantFrom('secret', 'time', 'body')
    fc.assert(
      fc.property(secret, seconds, body, changedPart, (key, at, text, part) => {
        const signature = sign(
          part === 'secret' ? `${key}x` : key,
          String(part === 'time' ? at - 1 : at),
          part === 'body' ? `${text}x` : text,
        )
        expect(isAccepted(key, at, text, signature)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })
})
