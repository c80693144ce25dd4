import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

const MAX_SKEW_SECONDS = 300
const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^\d{1,12}$/

/** What a request says of itself in its headers. */
export interface SignatureHeaders {
  timestamp: string | undefined
  signature: string | undefined
}

/** Source: https://docs.slack.dev/authentication/verifying-requests-from-slack (read November 2026). */
export interface Verifier {
  /** False when the headers alone show that it is not Slack's: they lack something, or are over 300 s old or early. */
  isPlausible(headers: SignatureHeaders): boolean
  /** Whether plausible headers carry Slack's signature over exactly these bytes. */
  fits(headers: SignatureHeaders, body: Buffer): boolean
}

export function createVerifier(signingSecret: string, now: () => Date): Verifier {
  // A key made once: with a plain buffer Node would import it again for every request.
  const key = createSecretKey(Buffer.from(signingSecret))
  return {
    isPlausible({ timestamp = '', signature = '' }) {
      if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return false
      return Math.abs(now().getTime() / 1000 - Number(timestamp)) <= MAX_SKEW_SECONDS
    },
    fits({ timestamp, signature = '' }, body) {
      // As text: the bytes of a digest come in a buffer of their own, which costs as much as the digest.
      const signed = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex')
      const [expected, given] = [Buffer.from(`v0=${signed}`), Buffer.from(signature)]
      return given.length === expected.length && timingSafeEqual(expected, given)
    },
  }
}
