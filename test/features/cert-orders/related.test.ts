import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { compareOrder } from '../../../src/features/cert-orders/read-order-details.ts'
import { listCertificateNames } from '../../../src/features/cert-orders/rules/host-names.ts'
import { ORDER_STATES } from '../../../src/features/cert-orders/rules/order-states.ts'
import { fingerprintRelated, relate } from '../../../src/features/cert-orders/rules/related.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'

const HOSTS = [
  ...['example.com', 'shop.example.com', 'SHOP.example.com', 'www.shop.example.com', '*.example.com'],
  ...['*.shop.example.com', 'api.example.com', 'example.org', '*.example.org', 'a.b.example.org'],
  ...['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example', 'shop.example.com.', '*.bücher.example'],
  ...['x.xn--bcher-kva.example', 'com', 'localhost', '*.com', 'notexample.com', 'a person'],
]
const canonical = (texts: readonly string[]): string[] =>
  listCertificateNames({ subjectParts: [], names: texts.map((text) => ({ kind: 'DNS', text })) }).map(
    ({ text }) => text,
  )

/** Whether two names are equal, or one is directly under the other’s wildcard. */
const namesMeet = (one: string, other: string): boolean =>
  one === other || isDirectlyUnder(one, other) || isDirectlyUnder(other, one)
const isDirectlyUnder = (name: string, wildcard: string): boolean =>
  wildcard.startsWith('*.') &&
  !name.startsWith('*.') &&
  name.split('.').slice(1).join('.') === wildcard.slice(2)

describe.each(SHARED_DATABASES)('the orders that an order touches, in $name', ({ start }) => {
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: compares every pair
  it('are those that an oracle finds by comparing every pair of names', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const random = createRandom(readSeed())
    const now = new Date('2026-11-25T12:00:00.000Z')
    const rounds = quickOrLong('OVERLAP_ROUNDS', { quick: 3, long: 100 })
    for (let round = 0; round < rounds; round += 1) {
      const workspaceId = `T${round}`
      const orders = []
      for (let index = 0; index < 12; index += 1) {
        const names = canonical(Array.from({ length: 1 + random.below(4) }, () => random.oneOf(HOSTS)))
        const environment = random.oneOf(['production', 'production', 'ote'] as const)
        const state = random.oneOf(ORDER_STATES)
        const keyHash = `k${index % 7 === 0 ? 0 : index}`
        const ended = { receivedAt: random.oneOf([now, new Date('2025-01-01')]) }
        const request = { action: 'create', csr: `pem ${index}`, duration: '1 year' }
        const csr = { subjectParts: [], names: names.map((text) => ({ kind: 'DNS', text })) }
        const stored = await store.orders
          .add(
            {
              ...{ workspaceId, environment, state, keyHash, names, ...ended },
              ...{ requesterId: 'U1', bodyHash: 'h', createdAt: now, enterpriseId: undefined },
              content: { request, csr },
            },
            { kind: 'request', at: now },
          )
          .catch(() => undefined)
        if (stored) orders.push({ ...stored, keyHash, names })
      }
      for (const order of orders) {
        const touched = await store.orders.findTouched(workspaceId, order.environment, order.names)
        for (const other of orders) {
          const meets =
            other.environment === order.environment &&
            order.names.some((name) => other.names.some((otherName) => namesMeet(name, otherName)))
          const message = `SEED=${readSeed()}: ${order.names} and ${other.names}`
          expect(touched.has(other.id), message).toBe(meets)
          const toCompared = ({ id, environment, state, keyHash, names, receivedAt }: typeof order) => ({
            ...{ id, environment, state, keyHash, names, receivedAt },
          })
          const [there, back] = [
            relate(toCompared(order), toCompared(other), touched.has(other.id), now),
            relate(toCompared(other), toCompared(order), meets, now),
          ]
          // Two open orders see each other, whatever their numbers.
          const areOpen = [order, other].every(({ state }) =>
            ['awaiting', 'unknown', 'submitting'].includes(state),
          )
          if (areOpen) expect(there, message).toBe(back)
          if (other.id === order.id) expect(there).toBeUndefined()
        }
      }
    }
  })

  it('are the open ones, and received ones whose certificate may be valid, with any number of names', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const orders = store.orders
    const now = await orders.readTime()
    const add = (names: readonly string[], key: string) =>
      store.orders.add(
        {
          ...({ workspaceId: 'T1', environment: 'production', state: 'received', receivedAt: now } as const),
          ...{
            requesterId: 'U1',
            bodyHash: 'h',
            createdAt: now,
            enterpriseId: undefined,
            keyHash: key,
            names,
          },
          content: {
            request: { action: 'create', csr: key, duration: '1 year' },
            csr: { subjectParts: [], names: names.map((text) => ({ kind: 'DNS', text })) },
          },
        },
        { kind: 'request', at: now },
      )
    const many = Array.from({ length: 1300 }, (_, index) => `h${index}.example.com`)
    await add(many, 'k1')
    await add(['*.example.com'], 'k2')
    await add(['example.com'], 'k3')
    const [third, second, first] = await orders.list({ workspaceId: 'T1', limit: 3 })
    if (!first || !second || !third) throw new Error('There must be three orders.')
    const findRelations = async (order: typeof first) =>
      (await compareOrder({ orders }, order)).related.map(
        ({ order: { number }, relation }) => [number, relation],
      )
    expect(await findRelations(first)).toEqual([[2, 'some names']])
    expect(await findRelations(second)).toEqual([[1, 'some names']])
    expect(await findRelations(third)).toEqual([])
  })
})

describe('what an approval is given for', () => {
  const related = (state: string) =>
    fingerprintRelated([{ order: { id: 'o2', state } as never, relation: 'same names' }])

  it('changes with the orders that were sent, and not with those that wait or failed', () => {
    const nothing = fingerprintRelated([])
    expect(['submitting', 'unknown', 'received'].map((state) => related(state) === nothing)).toEqual([
      false,
      false,
      false,
    ])
    // An outcome that becomes known changes nothing that the approver didn't see.
    expect(new Set(['submitting', 'unknown', 'received'].map(related)).size).toBe(1)
    for (const state of ['awaiting', 'failed', 'rejected', 'withdrawn', 'expired'])
      expect(related(state)).toBe(nothing)
  })
})

describe('what another order shares with one', () => {
  const now = new Date('2026-03-01T12:00:00.000Z')
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000)
  const base = { environment: 'production' as const, keyHash: 'k1', names: ['shop.example.com'] }
  const order = { ...base, id: 'o1', state: 'awaiting' as const }
  const other = { ...base, id: 'o2', state: 'received' as const, keyHash: 'k2', receivedAt: daysAgo(1) }
  const findRelation = (changes: object, touches = true) =>
    relate(order, { ...other, ...changes }, touches, now)

  it.each([
    [
      'its key, in any state and with other names',
      { keyHash: 'k1', state: 'rejected', names: [] },
      false,
      'key',
    ],
    ['its names', {}, true, 'same names'],
    ['some of its names', { names: ['*.example.com'] }, true, 'some names'],
    ['nothing, in the other environment', { environment: 'ote', keyHash: 'k1' }, true, undefined],
    ['nothing, if it ended without a certificate', { state: 'failed' }, true, undefined],
    ['nothing, if its certificate has ended', { endsAt: daysAgo(1) }, true, undefined],
    [
      'its names, while its certificate is valid',
      { endsAt: daysAgo(-1), receivedAt: daysAgo(500) },
      true,
      'same names',
    ],
    ['its names, 399 days without a certificate', { receivedAt: daysAgo(399) }, true, 'same names'],
    ['nothing, 401 days without a certificate', { receivedAt: daysAgo(401) }, true, undefined],
    ['nothing, if no name meets', {}, false, undefined],
  ] as const)('is %s', (_, changes, touches, expected) => {
    expect(findRelation(changes, touches)).toBe(expected)
  })

  it('doesn’t change what an approval is given for if it is the order that this one renews', () => {
    const renewed = [{ order: { id: 'o2', state: 'received' } as never, relation: 'same names' as const }]
    expect(fingerprintRelated(renewed, 'o2')).toBe(fingerprintRelated([]))
    expect(fingerprintRelated(renewed, 'o3')).not.toBe(fingerprintRelated([]))
  })
})
