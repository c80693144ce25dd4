import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createAccountProof } from '../../../src/bot/workspaces/account-proof.ts'
import { ApiError, type ApiErrorKind } from '../../../src/service/errors.ts'
import { type Api, accountFromToken } from '../../../src/service/service.ts'

const NOW = new Date('2026-11-25T12:00:00Z')
const SCOPE = { workspaceId: 'T1', now: NOW }
const uuids = (count: number) => Array.from({ length: count }, (_, index) => `check-${index + 1}`)

/** The service as one token sees it: the checks that exist, and the tokens that the account lists. */
function createApi(
  account: string,
  {
    exist = [],
    tokens,
    missing = 'not-found',
  }: { exist?: string[]; tokens?: string[]; missing?: ApiErrorKind } = {},
) {
  const asked: string[] = []
  const api = {
    account,
    tokens: {
      list: async () => {
        if (!tokens) throw new ApiError('forbidden', 'no')
        return { tokens: tokens.map((token) => ({ token })) }
      },
    },
    healthChecks: {
      list: async () => ({ results: exist.map((uuid) => ({ uuid })) }),
      get: async (uuid: string) => {
        asked.push(uuid)
        if (!exist.includes(uuid)) throw new ApiError(missing, 'no')
        return { uuid }
      },
    },
  } as unknown as Api
  return { api, asked }
}

async function start() {
  const store = await openStore({ url: 'sqlite::memory:' })
  return {
    proof: createAccountProof(store.ephemeralState),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

it('proves the same connection, and a token that the account lists', async () => {
  await using world = await start()
  expect(await world.proof.isProven(SCOPE, createApi('A').api, 'A')).toBe(true)
  const account = accountFromToken('old')
  expect(await world.proof.isProven(SCOPE, createApi('B', { tokens: ['old'] }).api, account)).toBe(true)
  expect(await world.proof.isProven(SCOPE, createApi('B', { tokens: ['another'] }).api, account)).toBe(false)
})

it('takes nothing as proven by a token that may list neither tokens nor checks', async () => {
  await using world = await start()
  await world.proof.keepListing(SCOPE, createApi('A', { exist: uuids(3) }).api)
  expect(await world.proof.isProven(SCOPE, createApi('B', { missing: 'forbidden' }).api, 'A')).toBe(false)
})

it('proves an account by one of twenty kept checks', async () => {
  await using world = await start()
  await world.proof.keepListing(SCOPE, createApi('A', { exist: uuids(30) }).api)
  expect(await world.proof.isProven(SCOPE, createApi('B', { exist: ['check-20'] }).api, 'A')).toBe(true)
  const other = createApi('B', { exist: ['check-21'] })
  expect(await world.proof.isProven(SCOPE, other.api, 'A')).toBe(false)
  expect(other.asked).toEqual(uuids(20))
  // Nothing is kept of account C, nor for another workspace.
  expect(await world.proof.isProven(SCOPE, createApi('B', { exist: uuids(30) }).api, 'C')).toBe(false)
  const elsewhere = { ...SCOPE, workspaceId: 'T2' }
  expect(await world.proof.isProven(elsewhere, createApi('B', { exist: uuids(30) }).api, 'A')).toBe(false)
})

it('keeps no check that a job is about to delete', async () => {
  await using world = await start()
  await world.proof.keepListing(SCOPE, createApi('A', { exist: uuids(5) }).api)
  await world.proof.keepListing(SCOPE, createApi('A', { exist: uuids(5) }).api, new Set(uuids(4)))
  const deleted = createApi('B', { exist: uuids(4) })
  expect(await world.proof.isProven(SCOPE, deleted.api, 'A')).toBe(false)
  expect(deleted.asked).toEqual(['check-5'])
})

it('keeps the listing of the last hour, and replaces an older one', async () => {
  await using world = await start()
  const listings = ['check-1', 'check-2']
  for (const [index, uuid] of listings.entries()) {
    const now = new Date(NOW.getTime() + index * 59 * 60_000)
    await world.proof.keepListing({ ...SCOPE, now }, createApi('A', { exist: [uuid] }).api)
  }
  expect(await world.proof.isProven(SCOPE, createApi('B', { exist: ['check-1'] }).api, 'A')).toBe(true)
  const later = new Date(NOW.getTime() + 61 * 60_000)
  await world.proof.keepListing({ ...SCOPE, now: later }, createApi('A', { exist: ['check-2'] }).api)
  expect(await world.proof.isProven(SCOPE, createApi('B', { exist: ['check-1'] }).api, 'A')).toBe(false)
})

it('doesn’t decide while the service is down', async () => {
  await using world = await start()
  await world.proof.keepListing(SCOPE, createApi('A', { exist: uuids(1) }).api)
  const down = createApi('B', { missing: 'unavailable' })
  await expect(world.proof.isProven(SCOPE, down.api, 'A')).rejects.toThrow(ApiError)
})

it('remembers an admin’s answer, for these two accounts only', async () => {
  await using world = await start()
  await world.proof.confirm(SCOPE, 'A', 'B')
  expect(await world.proof.isProven(SCOPE, createApi('B').api, 'A')).toBe(true)
  expect(await world.proof.isProven(SCOPE, createApi('C').api, 'A')).toBe(false)
  expect(await world.proof.isProven(SCOPE, createApi('B').api, 'C')).toBe(false)
})
