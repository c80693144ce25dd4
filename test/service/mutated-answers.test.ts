import { expect, it } from 'vitest'
import { explain } from '../../src/bot/request/explain.ts'
import { ApiError } from '../../src/service/errors.ts'
import type { Api } from '../../src/service/service.ts'
import { quickOrLong } from '../long.ts'
import { createRandom, type Random } from '../random.ts'
import { startVendor, TOKEN } from './vendor.ts'

const BODIES = quickOrLong('MUTATED_ANSWERS', { quick: 200, long: 3000 })

const ROW = {
  uuid: 'u-1',
  name: 'shop',
  status: 'HEALTHY',
  customer_id: '1000',
  protocol: 'HTTPS',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
  created_at: '2026-01-02T03:04:05.678Z',
  modified_at: '2026-01-02T03:04:05.678Z',
}
const ALERT = { id: 7, type: 'EMAIL', recipients: ['a@example.com'], created_at: ROW.created_at }
const EVENT = {
  id: '7e57ed00-0000-4000-8000-00000000000a',
  domain: 'exa.mple',
  criticality: { level: 'HIGH' },
  comments: [{ content: 'seen', date: ROW.created_at }],
  observed_data: { dns_records: [{ ip: '192.0.2.1' }], whois: { statuses: ['ok'] }, website: {} },
}
const ok = (data?: unknown) => ({ message: 'OK', ...(data !== undefined && { data }) })
const BODY = { name: 'shop', customerId: 1, protocol: 'TCP', target: 'a.example', port: 1, frequency: 60 }

interface Operation {
  body: object
  call(api: Api): Promise<unknown>
  isWrite?: true
}
const OPERATIONS: readonly Operation[] = [
  {
    body: ok({
      total: 3,
      limit: 500,
      offset: 0,
      results: [ROW, { ...ROW, uuid: 'u-2' }, { ...ROW, uuid: 'u-3' }],
    }),
    call: ({ healthChecks }) => healthChecks.list(),
  },
  { body: ok(ROW), call: ({ healthChecks }) => healthChecks.get('u-1') },
  { body: ok([ALERT, ALERT]), call: ({ alerts }) => alerts.list('u-1') },
  { body: ok([{ data: 'token-1', created_at: '2026-01-02 03:04:05' }]), call: ({ tokens }) => tokens.list() },
  { body: EVENT, call: ({ threats }) => threats.get(EVENT.id) },
  { body: ok(ROW), call: ({ healthChecks }) => healthChecks.create(BODY), isWrite: true },
  { body: ok(ROW), call: ({ healthChecks }) => healthChecks.update('u-1', BODY), isWrite: true },
  { body: ok(), call: ({ healthChecks }) => healthChecks.delete('u-1'), isWrite: true },
  { body: ok(ALERT), call: ({ alerts }) => alerts.update('u-1', '7', ALERT), isWrite: true },
  {
    body: ok([{ token: 'token-2', account_id: '1' }]),
    call: ({ tokens }) => tokens.generate(),
    isWrite: true,
  },
]

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Values that replace any part of a body. */
const ODD_VALUES: readonly unknown[] = [
  ...[null, '', ' ', 'web', '7', -1, 1.5, 2 ** 60, true, {}, [], [[]], { a: { b: 1 } }, 'ERROR'],
  ...['<!here>', '\u0000', '\ud800', '\u202e', 'x'.repeat(100_000), `Bearer ${TOKEN}`, { code: 'FORBIDDEN' }],
]
const ADDED_KEYS = ['error', 'errors', 'message', 'data', '__proto__', 'constructor', 'toString', 'unknown']

/** Replaces, adds, or deletes a part somewhere in the body. */
function mutatePart(body: unknown, random: Random): unknown {
  if (typeof body !== 'object' || body === null || random.next() < 0.15) return random.oneOf(ODD_VALUES)
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as Record<string, unknown>
  const keys = Object.keys(copy)
  const key = keys.length === 0 || random.next() < 0.2 ? random.oneOf(ADDED_KEYS) : random.oneOf(keys)
  if (random.next() < 0.15) delete copy[key]
  else
    Object.defineProperty(copy, key, {
      value: mutatePart(copy[key], random),
      enumerable: true,
      configurable: true,
    })
  return copy
}

/** Damages the text of a body. */
const TEXT_MUTATIONS: readonly ((text: string, random: Random) => string | Buffer)[] = [
  (text, random) => text.slice(0, random.below(text.length)),
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => `<html><title>502</title>${text}`,
  () => '',
  () => 'null',
  () => deep(50_000),
  () => `{"message":"OK","data":${deep(50_000)}}`,
  (text) => text.replace(/"(?:name|content|type)":"[^"]*"/, `"name":${deep(50_000)}`),
  (text) => text.replace(/\d+/, '123456789012345678901234567890'),
  (text) => text.replace(/"/, "'"),
  (text) => Buffer.from(text, 'utf16le'),
  (text) =>
    Buffer.concat([
      Buffer.from(text.slice(0, 30)),
      Buffer.from([0xff, 0xfe, 0xc3]),
      Buffer.from(text.slice(30)),
    ]),
  (text) => text.replaceAll(',', `,${' '.repeat(50_000)}`),
]

function mutate(body: object, random: Random): string | Buffer {
  let part: unknown = body
  for (let times = 1 + random.below(3); times > 0; times -= 1) part = mutatePart(part, random)
  const text = JSON.stringify(part) ?? ''
  return random.next() < 0.4 ? random.oneOf(TEXT_MUTATIONS)(JSON.stringify(body), random) : text
}

const isEmpty = (part: unknown): boolean =>
  typeof part === 'object' ? Object.keys(part ?? {}).length === 0 : !part

it(`reads ${BODIES} mutated answers, or says in one sentence that it can’t, and never takes a failure for a success`, async () => {
  const random = createRandom()
  let answer: string | Buffer = ''
  await using vendor = await startVendor((response) => void response.end(answer))
  const api = vendor.api()
  let successes = 0
  for (let count = 0; count < BODIES; count += 1) {
    const { body, call, isWrite = false } = OPERATIONS[count % OPERATIONS.length] as Operation
    answer = mutate(body, random)
    vendor.seen.length = 0
    const label = `answer ${count}: ${answer.toString().slice(0, 300)}`
    const outcome: unknown = await call(api).then(
      (value) => ({ value }),
      (error: unknown) => error,
    )
    expect(vendor.seen, label).toHaveLength(1)
    if (!(outcome instanceof Error)) {
      successes += 1
      const { message = 'OK', error, errors, id } = JSON.parse(answer.toString().replace(/^\ufeff/, '')) ?? {}
      const isEvent = id !== undefined
      expect(isEvent || typeof message !== 'string' || /^\s*ok\s*$/i.test(message), label).toBe(true)
      expect(isEvent || [error, errors].every(isEmpty), label).toBe(true)
      continue
    }
    expect(outcome, label).toBeInstanceOf(ApiError)
    const error = outcome as ApiError
    // Whether something was done isn't known, and only the answer could have said it.
    expect(error.mayHaveHappened, label).toBe(isWrite)
    expect(error.message, label).toMatch(/^(?:GET|POST|PUT|DELETE) \/[^\n]{1,300}$/)
    expect(explain(error).happened, label).toMatch(/^[A-Z][^\n]*\.$/)
    expect(JSON.stringify([error.message, error.serviceMessages]), label).not.toContain(TOKEN)
  }
  // Some mutations leave a body readable. If all or none did, this would test nothing.
  expect(successes).toBeGreaterThan(BODIES / 10)
  expect(successes).toBeLessThan(BODIES)
})
