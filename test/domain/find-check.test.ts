import { expect, it } from 'vitest'
import { findCheckId } from '../../src/domain/find-check.ts'
import type { NamedCheck } from '../../src/domain/mistyped-check-name.ts'

/** A listing whose name search has these results, and that has all of these checks. */
const finding = (fitting: readonly NamedCheck[], total: number, all: readonly NamedCheck[] = fitting) => ({
  api: async () => ({
    healthChecks: {
      list: async () => ({ results: fitting, total }),
      listAll: async function* () {
        yield { results: all }
      },
      get: () => Promise.reject(new Error('Nothing is read here.')),
    },
  }),
})

const find = (checks: ReturnType<typeof finding>, named: string) =>
  findCheckId(checks, [named], (uuid) => `/hc delete ${uuid}`)

it('says how many checks match', async () => {
  const many = finding([{ uuid: 'u1', name: 'web' }], 12_345)
  await expect(find(many, 'web')).rejects.toThrow('12,345 health checks match “web”.')
})

it.each([':wiki', '/wiki', 'https://'])(
  'doesn’t find checks without a target for %s, which isn’t a host',
  async (named) => {
    const checks = finding([], 0, [{ uuid: 'u1', name: 'wiki' }])
    await expect(find(checks, named)).rejects.toThrow(`No health check is named “${named}”.`)
  },
)
