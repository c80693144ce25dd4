import { expect, it } from 'vitest'
import { findCheckId } from '../../src/domain/find-check.ts'
import type { NamedCheck } from '../../src/domain/mistyped-check-name.ts'

/** A listing of `all` checks, whose search by name returns `byName`. */
const createListing = (
  byName: readonly NamedCheck[],
  total: number,
  all: readonly NamedCheck[] = byName,
) => ({
  api: async () => ({
    healthChecks: {
      list: async () => ({ results: byName, total }),
      listAll: async function* () {
        yield { results: all }
      },
      get: () => Promise.reject(new Error('Nothing is read here.')),
    },
  }),
})

const find = (checks: ReturnType<typeof createListing>, named: string) =>
  findCheckId(checks, [named], (uuid) => `/hc delete ${uuid}`)

it('says how many checks match', async () => {
  const many = createListing([{ uuid: 'u1', name: 'web' }], 12_345)
  await expect(find(many, 'web')).rejects.toThrow('12,345 health checks match “web”.')
})

it.each([':wiki', '/wiki', 'https://'])(
  'doesn’t find checks without a target for %s, which isn’t a host',
  async (named) => {
    const checks = createListing([], 0, [{ uuid: 'u1', name: 'wiki' }])
    await expect(find(checks, named)).rejects.toThrow(`No health check is named “${named}”.`)
  },
)
