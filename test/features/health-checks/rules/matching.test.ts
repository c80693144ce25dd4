import { expect, it } from 'vitest'
import {
  type Filter,
  matchesFilter,
  nameMatches,
  toServiceQuery,
} from '../../../../src/features/health-checks/rules/matching.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'

const CHECK: HealthCheck = {
  uuid: 'u',
  name: 'Shop checkout',
  status: 'HEALTHY',
  protocol: 'HTTPS',
  target: 'https://shop.example/health',
  port: 443,
  frequency: 60,
  customerId: 1100,
}

it.each([
  ['shop*', true],
  ['*checkout', true],
  ['s*p*out', true],
  ['shop', false],
  ['*', true],
  ['*live', false],
  ['shop check*out*', true],
  ['shopshop*', false],
  ['s*s', false],
])('matches the pattern %s with “Shop checkout”: %s', (pattern, matches) => {
  expect(nameMatches(pattern, CHECK.name)).toBe(matches)
})

it('asks the service only for names with the pattern’s prefix', () => {
  expect(toServiceQuery({ name: '*-live', status: 'HEALTHY' })).toEqual({ status: 'HEALTHY' })
  expect(toServiceQuery({ name: 'web-*-live' })).toEqual({ name: 'web-*' })
  expect(toServiceQuery({ name: 'web' })).toEqual({ name: 'web' })
})

it.each<[Filter, boolean]>([
  [{ status: 'healthy', protocol: 'https' }, true],
  [{ status: 'UNHEALTHY' }, false],
  [{ target: 'shop.example' }, true],
  [{ target: 'https://shop.example/health' }, true],
  [{ target: 'https://shop.example/' }, false],
  [{ customerId: 1000 }, true],
  [{ customerId: 1000, includeSubsidiaries: false }, false],
  [{ customerId: 1100, includeSubsidiaries: false }, true],
])('applies the filter %o to the checks that the service returns: %s', (filter, isIncluded) => {
  expect(matchesFilter(CHECK, filter)).toBe(isIncluded)
})
