import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const MAX_SKEW_SECONDS = 300
const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^\d{1,12}$/

/** The headers that are checked. */
export interface SignatureHeaders {
  timestamp: string | undefined
  signature: string | undefined
}

/** Source: https://docs.slack.dev/authentication/verifying-requests-from-slack (read November 2026). */
export interface Verifier {
  /** False when the headers alone show that it is not Slack's: one is missing, or the time is off by more than 300 s. */
  isPlausible(headers: SignatureHeaders): boolean
  /** Whether the signature in plausible headers is Slack's, over exactly these bytes. */
  fits(headers: SignatureHeaders, body: Buffer): boolean
}

export function createVerifier(signingSecret: string, now: () => Date): Verifier {
  // The key is made once: Node would import a plain buffer again for every request.
  const key = createSecretKey(Buffer.from(signingSecret))
  return {
    isPlausible({ timestamp = '', signature = '' }) {
      if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return false
      return Math.abs(now().getTime() / 1000 - Number(timestamp)) <= MAX_SKEW_SECONDS
    },
    fits({ timestamp, signature = '' }, body) {
      // Compared as text: a digest as bytes has a buffer of its own, which costs as much as the digest.
      const signed = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex')
      const [expected, given] = [Buffer.from(`v0=${signed}`), Buffer.from(signature)]
      return given.length === expected.length && timingSafeEqual(expected, given)
    },
  }
}
