import { describe, expect, it } from 'vitest'
import { decodeAlerts } from '../../src/service/alerts.ts'
import { Unreadable } from '../../src/service/decode.ts'
import { decodePage } from '../../src/service/health-checks.ts'
import { decodeEvent } from '../../src/service/threat-event.ts'
import { readResponse } from './reading.ts'

const SEED = 20_261_123
const BODIES = 2_000

/** A small seeded generator (Numerical Recipes), so that a failure can be reproduced. */
function createRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  // Cast, because the list is never empty.
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  return { next, pick }
}

const ODD_VALUES: readonly unknown[] = [
  '2026-01-02T03:04:05.678Z',
  '2026-02-31T00:00:00.000Z',
  '2026-01- 2T03:04:05.678Z',
  '',
  ' ',
  'web',
  '443',
  ' 7.5 ',
  '0x10',
  'True',
  null,
  7,
  7.5,
  -1,
  true,
  false,
  {},
  [],
  [1],
  ['a', 3],
  { a: 1 },
  'PAUSED',
]
const toJson = (body: unknown): string => JSON.stringify(body)

/** A reference parser that reads one value at a time, without zod. */
class PlainParser {
  readonly unreadablePaths: string[] = []

  #read<T>(value: unknown, path: string, read: (value: unknown) => T | undefined): T | undefined {
    if (value === undefined || value === null) return undefined
    const result = read(value)
    if (result === undefined) this.unreadablePaths.push(path)
    return result
  }
  text(value: unknown, path: string) {
    return this.#read(value, path, (sent) => {
      return typeof sent === 'string' || typeof sent === 'number' ? `${sent}` : undefined
    })
  }
  number(value: unknown, path: string) {
    return this.#read(value, path, (sent) =>
      typeof sent === 'number' || (typeof sent === 'string' && /^ *-?\d+(\.\d+)? *$/.test(sent))
        ? Number(sent)
        : undefined,
    )
  }
  boolean(value: unknown, path: string) {
    return this.#read(value, path, (sent) =>
      typeof sent === 'object' ? undefined : { true: true, false: false }[`${sent}`.toLowerCase()],
    )
  }

  check(row: unknown, path: string) {
    if (typeof row !== 'object' || row === null || Array.isArray(row))
      return void this.unreadablePaths.push(path)
    // Cast, because it's a JSON object.
    const fields = row as Record<string, unknown>
    if (typeof fields.uuid !== 'string' || fields.uuid === '')
      return void this.unreadablePaths.push(`${path}.uuid`)
    const field = (name: string): [unknown, string] => [fields[name], `${path}.${name}`]
    return {
      uuid: fields.uuid,
      name: this.text(...field('name')) ?? '',
      status: this.text(...field('status')) ?? '',
      customerId: this.number(...field('customer_id')),
      protocol: this.text(...field('protocol')),
      target: this.text(...field('target')),
      port: this.number(...field('port')),
      frequency: this.number(...field('frequency')),
      createdAt: this.text(...field('created_at')),
      createdBy: this.text(...field('created_by')),
      modifiedAt: this.text(...field('modified_at')),
      modifiedBy: this.text(...field('modified_by')),
      httpServerAddress: this.text(...field('http_server_address')),
      verifySsl: this.boolean(...field('verify_ssl')),
    }
  }

  alert(row: unknown, path: string) {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      this.unreadablePaths.push(path)
      return { id: '', type: '', recipients: [], unreadable: 1 }
    }
    const { id, type, recipients: sentRecipients, ...rest } = row as Record<string, unknown>
    const recipients = sentRecipients
    const idText = Number.isSafeInteger(id) || typeof id === 'string' ? `${id}` : ''
    const validId = /^-?\d+$/.test(idText) ? idText : ''
    const list = typeof recipients === 'string' ? [recipients] : (recipients ?? [])
    const badRecipients = Array.isArray(list)
      ? [...list.keys()].filter((index) => typeof list[index] !== 'string').map((i) => `recipients[${i}]`)
      : ['recipients']
    const issues = [...(validId === '' ? ['id'] : []), ...badRecipients]
    this.unreadablePaths.push(...issues.map((field) => `${path}.${field}`))
    return {
      id: validId,
      type: this.text(type, `${path}.type`) ?? '',
      recipients: Array.isArray(list) ? list.filter((recipient) => typeof recipient === 'string') : [],
      createdAt: this.text(rest.created_at, `${path}.created_at`),
      createdBy: this.text(rest.created_by, `${path}.created_by`),
      modifiedAt: this.text(rest.modified_at, `${path}.modified_at`),
      modifiedBy: this.text(rest.modified_by, `${path}.modified_by`),
      ...(issues.length > 0 && { unreadable: issues.length }),
    }
  }
}

const TIMES = {
  created_at: '2026-01-02T03:04:05.678Z',
  created_by: 'ann',
  modified_at: '2026-01-02 03:04:05',
}
const CHECK = {
  uuid: 'u',
  name: 'shop',
  status: 'HEALTHY',
  customer_id: '1000',
  protocol: 'HTTPS',
  target: 'a.example',
  port: '443',
  frequency: 60,
  ...TIMES,
  modified_by: 'bob',
  http_server_address: '192.0.2.1',
  verify_ssl: 'true',
}
const ALERT = {
  id: '7',
  type: 'EMAIL',
  recipients: ['a@example.com', 'b@example.com'],
  ...TIMES,
  modified_by: 'b',
}

/** Returns one to four rows. Most are copies of `row` with up to three changed fields. The others are odd values. */
function mutateRows(
  row: object,
  { next, pick }: ReturnType<typeof createRandom>,
  required: readonly string[],
) {
  return Array.from({ length: 1 + Math.floor(next() * 4) }, () => {
    if (next() < 0.1) return pick(ODD_VALUES.filter((value) => typeof value !== 'object' || value === null))
    const copy: Record<string, unknown> = structuredClone({ ...row })
    for (let changes = Math.floor(next() * 4); changes > 0; changes -= 1) {
      const field = pick([...Object.keys(row).filter((name) => !required.includes(name)), 'region'])
      if (next() < 0.2) delete copy[field]
      else copy[field] = structuredClone(pick(ODD_VALUES))
    }
    if (required.length > 0 && next() < 0.1) copy[pick(required)] = pick([null, '', 7, {}])
    return copy
  })
}

describe(`mutated bodies (seed ${SEED})`, () => {
  it('of listings give the same result as the reference parser', () => {
    const random = createRandom(SEED)
    for (let count = 0; count < BODIES / 2; count += 1) {
      const results = mutateRows(CHECK, random, ['uuid'])
      const parser = new PlainParser()
      const expected = results.map((row, index) => parser.check(row, `data.results[${index}]`))
      const text = toJson({ data: { total: `${results.length}`, limit: 500, offset: 0, results } })
      const { value, issues } = readResponse(decodePage, text)
      expect(value.results, text).toEqual(expected.filter((row) => row !== undefined))
      expect(value.unreadable, text).toBe(expected.filter((row) => row === undefined).length)
      expect([issues.count, [...issues.paths].sort()], text).toEqual([
        parser.unreadablePaths.length,
        parser.unreadablePaths.sort(),
      ])
    }
  })

  it('of alerts give the same result as the reference parser', () => {
    const random = createRandom(SEED + 1)
    for (let count = 0; count < BODIES / 2; count += 1) {
      const rows = mutateRows(ALERT, random, [])
      const parser = new PlainParser()
      const expected = rows.map((row, index) => parser.alert(row, `data[${index}]`))
      const text = toJson({ data: rows })
      const { value, issues } = readResponse(decodeAlerts, text)
      // Rows that aren't alerts come last.
      const isAlert = ({ type, id }: { type: string; id: string }) => type !== '' || id !== ''
      expect(value.filter(isAlert), text).toEqual(expected.filter(isAlert))
      expect(value, text).toHaveLength(expected.length)
      expect([issues.count, [...issues.paths].sort()], text).toEqual([
        parser.unreadablePaths.length,
        parser.unreadablePaths.sort(),
      ])
    }
  })

  it('of threat events report every unreadable part', () => {
    const random = createRandom(SEED + 2)
    const texts = ['domain', 'type', 'id'] as const
    for (let count = 0; count < BODIES / 2; count += 1) {
      const oddTexts = texts.map(() => structuredClone(random.pick(ODD_VALUES)))
      const comments = mutateRows({ content: 'seen', date: TIMES.created_at }, random, [])
      const text = toJson({
        ...Object.fromEntries(texts.map((name, index) => [name, oddTexts[index]])),
        comments,
      })
      const { value, issues } = readResponse(decodeEvent, text)
      expect([value.unexpectedValues.map(({ path }) => path), value.unreadableCount], text).toEqual([
        issues.paths,
        issues.count,
      ])
      for (const [index, name] of texts.entries()) {
        const sent = oddTexts[index]
        const isText = typeof sent === 'string' || typeof sent === 'number'
        expect(value[name], text).toBe(isText ? String(sent) : undefined)
        expect(issues.paths.includes(name), text).toBe(!isText && sent !== null)
      }
      const unreadableComments = comments.length - (value.comments?.length ?? 0)
      expect(
        issues.paths.filter((path) => /^comments\[\d+\]$/.test(path)),
        text,
      ).toHaveLength(unreadableComments)
    }
  })
})

it('stops reading a list after 500 faulty rows, and counts every later row as unreadable', () => {
  const row = { uuid: 'u', port: {} }
  const results = [...Array(500).fill(row), { uuid: 'u' }, ...Array(3000).fill(row)]
  const { value, issues } = readResponse(decodePage, { data: { total: results.length, results } })
  expect([value.results.length, value.unreadable, issues.count]).toEqual([500, 3001, 3501])
  expect(() => readResponse(decodePage, { data: { total: 'many', results: [] } })).toThrow(Unreadable)
})
