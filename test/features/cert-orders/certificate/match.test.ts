import { describe, expect, it } from 'vitest'
import {
  matchCertificate,
  type OrderToMatch,
} from '../../../../src/features/cert-orders/rules/certificate/match.ts'

const NOW = Date.parse('2026-11-25T12:00:00.000Z')
const HOUR_MS = 3_600_000
const hoursAgo = (hours: number): Date => new Date(NOW - hours * HOUR_MS)
const SHOP = 'shop.example.com'
const certificate = (issuedHoursAgo: number, names = [SHOP]) => ({
  ...{ keyHash: 'K', names, notBefore: hoursAgo(issuedHoursAgo).toISOString() },
})
const order = (number: number, state: string, sentHoursAgo?: number, names = [SHOP]): OrderToMatch => ({
  ...{ number, state, keyHash: 'K', names },
  ...(sentHoursAgo !== undefined && { sentAt: hoursAgo(sentHoursAgo) }),
})
const exact = (number: number, isUnknown = false) => ({ number, isUnknown, missing: [], added: [] })

describe('a certificate', () => {
  it.each([
    {
      is: 'issued for the order',
      orders: [order(7, 'received', 1)],
      match: { is: 'issued', candidate: exact(7) },
    },
    {
      is: 'dated back by 48 h',
      issued: 48,
      orders: [order(7, 'received', 1)],
      match: { is: 'issued', candidate: exact(7) },
    },
    {
      is: 'dated back by 74 h',
      issued: 74,
      orders: [order(7, 'received', 1)],
      match: { is: 'older', number: 7 },
    },
    { is: 'of another key', orders: [{ ...order(7, 'received', 1), keyHash: 'L' }], match: { is: 'none' } },
    {
      is: 'with a name more',
      names: [SHOP, `www.${SHOP}`],
      orders: [order(7, 'received', 1)],
      match: { is: 'choice', candidates: [{ ...exact(7), added: [`www.${SHOP}`] }] },
    },
    {
      is: 'with a name less',
      orders: [order(7, 'received', 1, [SHOP, 'old.example.com'])],
      match: { is: 'choice', candidates: [{ ...exact(7), missing: ['old.example.com'] }] },
    },
    {
      is: 'for an order of unknown outcome',
      orders: [order(7, 'unknown', 1)],
      match: { is: 'choice', candidates: [exact(7, true)] },
    },
    {
      is: 'of a key with two sent orders',
      orders: [order(5, 'received', 10), order(9, 'received', 1)],
      match: { is: 'choice', candidates: [exact(9), exact(5)] },
    },
    {
      is: 'older than the second order of its key',
      issued: 90 * 24,
      orders: [order(3, 'received', 91 * 24), order(9, 'received', 1)],
      match: { is: 'issued', candidate: exact(3) },
    },
    { is: 'for a key that only waits', orders: [order(7, 'awaiting')], match: { is: 'none', waiting: 7 } },
    { is: 'for a rejected order', orders: [order(7, 'rejected')], match: { is: 'none' } },
    {
      is: 'for a failed order',
      orders: [order(7, 'failed', 1), order(8, 'awaiting')],
      match: { is: 'failed', number: 7 },
    },
    {
      is: 'older than a failed order',
      issued: 74,
      orders: [order(7, 'failed', 1)],
      match: { is: 'older', number: 7 },
    },
    {
      is: 'received, beside a failed order of the key',
      orders: [order(3, 'received', 2), order(7, 'failed', 1)],
      match: { is: 'issued', candidate: exact(3) },
    },
    {
      is: 'for an order that is being sent',
      orders: [order(7, 'submitting', 0)],
      match: { is: 'sending', number: 7 },
    },
    {
      is: 'beside a withdrawn order',
      orders: [order(9, 'withdrawn'), order(3, 'received', 2)],
      match: { is: 'issued', candidate: exact(3) },
    },
    {
      is: 'received, beside an unknown order of the key',
      issued: 39,
      orders: [order(3, 'received', 40), order(5, 'unknown', 2)],
      match: { is: 'choice', candidates: [exact(5, true), exact(3)] },
    },
  ])('$is', ({ issued = 0.5, names, orders, match }) => {
    expect(matchCertificate(certificate(issued, names), orders)).toEqual(match)
  })
})
