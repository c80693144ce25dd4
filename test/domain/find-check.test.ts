import { describe, expect, it } from 'vitest'
import { findByName, findCheckId, isTypedCheck } from '../../src/domain/find-check.ts'
import type { NamedCheck } from '../../src/domain/known-names.ts'

/** A service that returns `byName` for any search by name, and `allChecks` for a complete listing. */
const createService = (
  byName: readonly NamedCheck[],
  total: number,
  allChecks: readonly NamedCheck[] = byName,
) => ({
  api: async () => ({
    healthChecks: {
      list: async () => ({ results: byName, total }),
      listNames: async () => ({ checks: allChecks }),
      get: () => Promise.reject(new Error('These tests never get a check by ID.')),
    },
  }),
})

const find = (service: ReturnType<typeof createService>, typed: string) =>
  findCheckId(service, { values: { check: typed }, lineFor: (check) => `/hc delete ${check}` })

it('reports how many checks match an ambiguous name', async () => {
  const service = createService([{ uuid: 'u1', name: 'web 1' }], 12_345)
  await expect(find(service, 'web')).rejects.toThrow('12,345 have it in their name.')
})

it.each([
  ['pay', true],
  ['callback', true],
  ['shop-payments', true],
  ['ack', false],
  ['hop', false],
])('reads the only check with “%s” in its name if a word begins with it: %s', async (typed, isRead) => {
  const service = createService([{ uuid: 'u1', name: 'Shop-payments callback' }], 1)
  const found = findCheckId(service, { values: { check: typed }, lineFor: String }, { reads: true })
  if (isRead) return expect(await found).toBe('u1')
  await expect(found).rejects.toMatchObject({ suggestions: [{ line: 'u1' }, { line: '/hc list' }] })
})

it.each([':wiki', '/wiki', 'https://'])(
  'finds no check without a target for %s, which contains no host',
  async (typed) => {
    const service = createService([], 0, [{ uuid: 'u1', name: 'wiki' }])
    await expect(find(service, typed)).rejects.toThrow(`No health check is named “${typed}”.`)
  },
)

it.each(['Shop API', 'The Shop AIP', 'Shop', 'https://api.example.com'])(
  'offers the similar check for “%s”',
  async (typed) => {
    const checks = [{ uuid: 'u1', name: 'The Shop API', target: 'api.example.com/v1' }]
    await expect(find(createService([], 0, checks), typed)).rejects.toMatchObject({
      message: `No health check is named “${typed}”. Did you mean this one?`,
      suggestions: [{ line: '/hc delete "The Shop API"' }, { line: '/hc list' }],
    })
  },
)

it.each([
  ['Shop API 2', 'Shop API 1'],
  ['https://api.example.com/v2', 'Shop API 1'],
  ['api.example.com:8443', 'Shop API 1'],
  ['shap.example.org', 'shop.example.org'],
])('offers nothing for “%s”, which may be another one than %s', async (typed, name) => {
  const checks = [{ uuid: 'u1', name, target: 'api.example.com/v1' }]
  await expect(find(createService([], 0, checks), typed)).rejects.toMatchObject({
    message: `No health check is named “${typed}”.`,
    suggestions: [{ line: '/hc list' }],
  })
})

describe('a name', () => {
  const NAMES = [
    'Ann\u2019s shop',
    'Caf\u00e9',
    'Cafe\u0301 2',
    '\u{1f525} Shop',
    'Shop \u2013 API',
    'Shop \u2013 API 2',
    'Wait\u2026',
  ]
  const checks = NAMES.map((name) => ({ uuid: `u-${name}`, name }))
  /** Compares names as the service does: character by character, with a `*` at the end. */
  const healthChecks = {
    list: async ({ name = '' }: { name?: string }) => {
      const found = checks.filter((check) =>
        name.endsWith('*')
          ? check.name.toLowerCase().startsWith(name.slice(0, -1).toLowerCase())
          : check.name.toLowerCase() === name.toLowerCase(),
      )
      return { results: found, total: found.length }
    },
    listNames: async () => ({ checks }),
    get: async (uuid: string) => {
      const check = checks.find((each) => each.uuid === uuid)
      if (!check) throw new Error('No check has this UUID.')
      return check
    },
  }

  it.each([
    ["Ann's shop", 'Ann\u2019s shop'],
    ['cafe\u0301', 'Caf\u00e9'],
    ['caf\u00e9 2', 'Cafe\u0301 2'],
    [':fire: shop', '\u{1f525} Shop'],
    ['Shop - API', 'Shop \u2013 API'],
    ['wait...', 'Wait\u2026'],
  ])('is found as people see it: %s', async (typed, name) => {
    expect((await findByName(healthChecks, typed)).map((check) => check.name)).toEqual([name])
  })

  it('isn’t found if the check was renamed since all names were listed', async () => {
    const renamed = { ...healthChecks, get: async (uuid: string) => ({ uuid, name: 'Forge' }) }
    expect(await findByName(renamed, ':fire: shop')).toEqual([])
  })

  it.each(['Cafe', 'Anns shop', 'Shop API', 'shop', ':fire:'])(
    'isn’t found by another one: %s',
    async (typed) => {
      expect(await findByName(healthChecks, typed)).toEqual([])
    },
  )
})

it.each([
  ['the UUID in capitals', { uuid: 'AB' }, { uuid: 'ab', name: '' }, true],
  ['another UUID, without a name', { uuid: 'cd' }, { uuid: 'ab', name: '' }, false],
  ['the name as people see it', { check: 'web “1”' }, { uuid: 'ab', name: 'Web "1"' }, true],
  ['a part of the name', { check: 'web' }, { uuid: 'ab', name: 'web-1' }, false],
])('recognizes a check that is known: %s', (_, typed, known, isTyped) => {
  expect(isTypedCheck(known, typed)).toBe(isTyped)
})
