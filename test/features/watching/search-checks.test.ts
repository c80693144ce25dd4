import { expect, it } from 'vitest'
import { searchChecks } from '../../../src/features/watching/find-checks.ts'
import type { Api } from '../../../src/service/service.ts'

const createCheck = (name: string, target: string) => ({
  ...{ uuid: `uuid of ${name} at ${target}`, name, target, status: 'HEALTHY' },
})
const CHECKS = [
  createCheck('Big shop', 'big.example.com'),
  createCheck('Mail', 'mail.example.com'),
  createCheck('Shop', 'one.example.com'),
  createCheck('Shop', 'two.example.com'),
]

/** A service with these checks, or with too many of them to list. It answers a search with the query. */
const createContext = (checks?: typeof CHECKS) => {
  const healthChecks = {
    listNames: async () => checks && { checks },
    list: async ({ name = 'any' }) => ({ results: [createCheck(name, 'searched')] }),
  }
  // Only what the search calls.
  return { api: async () => ({ healthChecks }) as unknown as Api }
}
const search = async (typed: string, checks?: typeof CHECKS) =>
  (await searchChecks(createContext(checks), typed)).map(({ label }) => label)

it('finds a part of a name, in any case, and tells equal names apart', async () => {
  const shops = [
    'Shop (uuid of Shop at one.example.com)',
    'Shop (uuid of Shop at two.example.com)',
    'Big shop',
  ]
  expect(await search('sHop', CHECKS)).toEqual(shops)
  expect(await search('shop*', CHECKS)).toEqual(shops)
  expect(await search('', CHECKS)).toHaveLength(CHECKS.length)
  expect(await search('pages', CHECKS)).toEqual([])
})

it('asks the service for the beginning of a name if there are too many checks to list', async () => {
  expect(await search('shop')).toEqual(['shop*'])
  expect(await search('')).toEqual(['any'])
})
