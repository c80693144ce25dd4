import { expect, it } from 'vitest'
import { createInstallState, createNonce } from '../../../packages/slack/src/install/install-state.ts'

const ISSUED = new Date('2026-11-20T12:00:00Z')
const SECOND_MS = 1000

/** Issues a state at `ISSUED`. `verify` checks it the given number of seconds later. */
async function startState(secret = 'state-test-secret') {
  let now = ISSUED
  const claims = new Map<string, string>()
  const states = createInstallState({
    secret,
    nonce: createNonce(),
    scopes: ['commands'],
    idempotencyKeys: {
      async claim(key, claimant) {
        if (!claims.has(key)) claims.set(key, claimant)
        return claims.get(key) === claimant
      },
    },
    now: () => now,
  })
  const state = await states.generateStateParam({ scopes: [] }, ISSUED)
  return {
    state,
    verify(seconds: number, checkedState = state) {
      now = new Date(ISSUED.getTime() + seconds * SECOND_MS)
      return states.verifyStateParam(now, checkedState)
    },
  }
}

it.each([0, 600])('accepts a state %i seconds later, for the requested scopes', async (seconds) => {
  const { verify } = await startState()
  expect(await verify(seconds)).toEqual({ scopes: ['commands'] })
})

it.each([
  { name: 'more than ten minutes later', seconds: 601 },
  { name: 'before it was issued', seconds: -1 },
])('rejects a state that isn’t valid now: $name', async ({ seconds }) => {
  const { verify } = await startState()
  await expect(verify(seconds)).rejects.toThrow('The state has expired.')
})

it.each([
  ['no content', () => ''],
  ['another time', (state: string) => state.replace(/^\d+/, (issued) => String(Number(issued) + 1))],
  ['another nonce', (state: string) => state.replace(/\.[\w-]{22}\./, `.${'A'.repeat(22)}.`)],
  ['another signature', (state: string) => state.replace(/\.[\w-]{43}$/, `.${'A'.repeat(43)}`)],
  ['extra text at the end', (state: string) => `${state}A`],
])('rejects a state with %s', async (_name, change) => {
  const { state, verify } = await startState()
  await expect(verify(1, change(state))).rejects.toThrow('The state wasn’t issued by this app.')
})

it('rejects a state that was signed with another secret', async () => {
  const [{ verify }, other] = await Promise.all([startState(), startState('another secret')])
  await expect(verify(1, other.state)).rejects.toThrow('The state wasn’t issued by this app.')
})
