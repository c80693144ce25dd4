import { expect, it } from 'vitest'
import { findCheckId } from '../../src/domain/find-check.ts'
import type { NamedCheck } from '../../src/domain/mistyped-check-name.ts'

/** A service that returns `byName` for any search by name, and `allChecks` for a complete listing. */
const createService = (
  byName: readonly NamedCheck[],
  total: number,
  allChecks: readonly NamedCheck[] = byName,
) => ({
  api: async () => ({
    healthChecks: {
      list: async () => ({ results: byName, total }),
      listAll: async function* () {
        yield { results: allChecks }
      },
      get: () => Promise.reject(new Error('These tests never get a check by ID.')),
    },
  }),
})

const find = (service: ReturnType<typeof createService>, typed: string) =>
  findCheckId(service, { values: { check: typed } }, (check) => `/hc delete ${check}`)

it('reports how many checks match an ambiguous name', async () => {
  const service = createService([{ uuid: 'u1', name: 'web 1' }], 12_345)
  await expect(find(service, 'web')).rejects.toThrow('12,345 have it in their name.')
})

it.each([':wiki', '/wiki', 'https://'])(
  'finds no check without a target for %s, which contains no host',
  async (typed) => {
    const service = createService([], 0, [{ uuid: 'u1', name: 'wiki' }])
    await expect(find(service, typed)).rejects.toThrow(`No health check is named “${typed}”.`)
  },
)
