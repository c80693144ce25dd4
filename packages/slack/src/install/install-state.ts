// This folder protects the pages of an OAuth installation.

import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { InvalidStateError, type StateStore } from '@slack/oauth'

export const STATE_TTL_SECONDS = 600
const STATE = /^(\d{1,12})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

export const createNonce = (): string => randomBytes(16).toString('base64url')

/** The nonce in a state; undefined if it isn't one of ours. */
export const readNonce = (state: string): string | undefined => STATE.exec(state)?.[2]

/**
 * Creates and verifies the OAuth `state` that ties the end of an installation to its start: `issued.nonce.hmac`. It's valid once,
 * for 10 minutes, in any process. The library also sets a cookie, to check that the installation ends in the same browser.
 */
export function createInstallState(deps: {
  secret: string
  /** The nonce of the state that is created. */
  nonce: string
  scopes: readonly string[]
  /** Claims a key, which works only once. Returns whether this caller got it. */
  idempotencyKeys: { claim(key: string, claimant: string): Promise<boolean> }
  now: () => Date
}): StateStore {
  const { secret, nonce, scopes, idempotencyKeys, now } = deps
  const key = createSecretKey(Buffer.from(secret))
  const computeMac = (signed: string) => createHmac('sha256', key).update(`install-state:${signed}`).digest()
  const seconds = () => Math.floor(now().getTime() / 1000)

  function hasValidMac(state: string): boolean {
    const [, issued = '', signedNonce = '', mac = ''] = STATE.exec(state) ?? []
    const expected = computeMac(`${issued}.${signedNonce}`)
    const actual = Buffer.from(mac, 'base64url')
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }

  return {
    async generateStateParam() {
      const signed = `${seconds()}.${nonce}`
      return `${signed}.${computeMac(signed).toString('base64url')}`
    },

    async verifyStateParam(_now, state) {
      const claimant = createNonce()
      if (!hasValidMac(state)) throw new InvalidStateError('The state wasn’t issued by this app.')
      const age = seconds() - Number(state.split('.')[0])
      if (age < 0 || age > STATE_TTL_SECONDS) throw new InvalidStateError('The state has expired.')
      if (!(await idempotencyKeys.claim(`install-state:${state}`, claimant)))
        throw new InvalidStateError('The state was already used.')
      return { scopes: [...scopes] }
    },
  }
}
