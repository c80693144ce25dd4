import { describe, expect, it } from 'vitest'
import { formatUnexpectedValue } from '../../src/service/parse-issues.ts'
import { decodeEvent, findSentValue } from '../../src/service/threat-event.ts'
import { readResponse } from './reading.ts'

const hideNothing = (text: string): string => text

/** Every documented field of a threat event, by its expected type. */
const TEXTS = [
  'id',
  'type',
  'domain',
  'brand.name',
  'brand.grouping_key',
  'criticality.level',
  'criticality.name',
  'comments[0].content',
  'observed_data.dns_records[0].country_code',
  'observed_data.dns_records[0].ip',
  'observed_data.dns_records[0].name',
  'observed_data.dns_records[0].type',
  'observed_data.dns_records[0].autonomous_system_info.as_number',
  'observed_data.dns_records[0].autonomous_system_info.as_organization',
  'observed_data.whois.owner_name',
  'observed_data.whois.owner_email',
  'observed_data.whois.owner_organisation',
  'observed_data.whois.registrar_name',
  'observed_data.whois.resource_url',
  'observed_data.website.page_title',
  'observed_data.website.page_description',
  'observed_data.website.origin_url',
  'observed_data.website.final_url',
  'observed_data.website.screenshot_resource_url',
  'observed_data.website.source_resource_url',
]
const DATES = [
  'date',
  'brand.monitored_since',
  'comments[0].date',
  'observed_data.whois.creation_date',
  'observed_data.whois.updated_date',
  'observed_data.whois.expiration_date',
]
const NUMBERS = ['customer_id', 'brand.id']
const LISTS_OF_TEXTS = ['observed_data.whois.statuses', 'observed_data.website.redirection_types']
const LISTS_OF_OBJECTS = ['comments', 'observed_data.dns_records']
const OBJECTS = ['observed_data', 'observed_data.whois', 'observed_data.website']
const NAMED_OBJECTS = ['brand', 'criticality', 'observed_data.dns_records[0].autonomous_system_info']

/** Builds a response body that contains nothing but `value`, at `path`. */
function buildBody(path: string, value: unknown): Record<string, unknown> {
  const keys = path.split(/[.[\]]+/).filter(Boolean)
  return keys.reduceRight<unknown>(
    (inner, key) => (/^\d+$/.test(key) ? [inner] : { [key]: inner }),
    value,
  ) as Record<string, unknown>
}

const readEventWith = (path: string, value: unknown) =>
  readResponse(decodeEvent, buildBody(path, value)).value

/** Formats the event as JSON, without the lists of unreadable parts. */
function toText(event: ReturnType<typeof readEventWith>): string {
  return JSON.stringify({ ...event, unreadable: undefined, unexpectedValues: undefined })
}

function expectUnreadable(path: string, value: unknown, text: string): void {
  const event = readEventWith(path, value)
  expect({ path, unreadable: event.unreadable }).toEqual({
    path,
    unreadable: { count: 1, paths: [path] },
  })
  expect({ path, sent: findSentValue(event, path) }).toEqual({ path, sent: text })
}

describe('a field of a threat event with an unexpected type', () => {
  it.each(TEXTS)('keeps its value where a text is expected: %s', (path) => {
    expect(readEventWith(path, 64_500).unreadable.count).toBe(0)
    expect(toText(readEventWith(path, 64_500))).toContain('64500')
    expect(toText(readEventWith(path, 'NEVER_SEEN_BEFORE'))).toContain('NEVER_SEEN_BEFORE')
    for (const value of [{ value: 'HIGH' }, ['HIGH', 'LOW'], [], true]) {
      expectUnreadable(path, value, JSON.stringify(value))
      expect(toText(readEventWith(path, value))).toContain(JSON.stringify(JSON.stringify(value)).slice(1, -1))
    }
  })

  it.each(DATES)('keeps its value where a time is expected: %s', (path) => {
    expectUnreadable(path, 'yesterday', 'yesterday')
    expectUnreadable(path, 1_763_640_000, '1763640000')
    expectUnreadable(path, { at: '2026-01-01' }, '{"at":"2026-01-01"}')
    expect(readEventWith(path, '2026-01-02 03:04:05').unreadable.count).toBe(0)
  })

  it.each(NUMBERS)('keeps its value where a number is expected: %s', (path) => {
    expect(readEventWith(path, '1200').unreadable.count).toBe(0)
    expect(toText(readEventWith(path, '1200'))).toContain('1200')
    expectUnreadable(path, 'C-1200', 'C-1200')
    expectUnreadable(path, [1200], '[1200]')
  })

  it.each(LISTS_OF_TEXTS)('keeps its value where a list of texts is expected: %s', (path) => {
    expect(toText(readEventWith(path, 'ok'))).toContain('["ok"]')
    expectUnreadable(path, { ok: true }, '{"ok":true}')
    const event = readEventWith(path, ['ok', { a: 1 }, 5])
    expect(event.unreadable).toEqual({ count: 2, paths: [`${path}[1]`, `${path}[2]`] })
    expect(event.unexpectedValues.map(({ text }) => text)).toEqual(['{"a":1}', '5'])
  })

  it.each(LISTS_OF_OBJECTS)('keeps its value where a list of objects is expected: %s', (path) => {
    const [field, value] = path === 'comments' ? ['content', 'seen'] : ['ip', '192.0.2.1']
    const single = readEventWith(path, { [field]: value })
    expect(toText(single)).toContain(`[{"${field}":"${value}"}]`)
    expect(single.unreadable.count).toBe(0)
    expectUnreadable(path, { other: 1 }, '{"other":1}')
    expectUnreadable(path, 7, '7')
    expect(readEventWith(path, [{ [field]: value }, true]).unexpectedValues).toEqual([
      { path: `${path}[1]`, text: 'true' },
    ])
  })

  it('is read as a comment if it is a string in place of a comment, alone or in a list', () => {
    expect(readEventWith('comments', 'looks bad').comments).toEqual([{ content: 'looks bad' }])
    expect(readEventWith('comments', ['a', { content: 'b' }]).comments).toEqual([
      { content: 'a' },
      { content: 'b' },
    ])
  })

  it.each(OBJECTS)('keeps its value where an object is expected: %s', (path) => {
    expectUnreadable(path, 'a text', 'a text')
    expectUnreadable(path, [{ a: 1 }], '[{"a":1}]')
  })

  it.each(NAMED_OBJECTS)('keeps its value where an object with a name is expected: %s', (path) => {
    for (const word of ['HIGH', 7]) {
      expect(readEventWith(path, word).unreadable.count).toBe(0)
      expect(toText(readEventWith(path, word))).toContain(`"${word}"`)
    }
    for (const value of [['HIGH'], false, { severity: 'HIGH' }]) {
      expectUnreadable(path, value, JSON.stringify(value))
      expect(toText(readEventWith(path, value))).toContain(JSON.stringify(JSON.stringify(value)).slice(1, -1))
    }
    expect(readEventWith(path, {}).unreadable.count).toBe(0)
  })

  it('keeps every digit of a long number, and at most 100 unreadable parts', () => {
    const body = '{"customer_id": 12345678901234567890, "brand": [12345678901234567890]}'
    const { value } = readResponse(decodeEvent, body)
    expect(findSentValue(value, 'customer_id')).toBe('12345678901234567890')
    expect(findSentValue(value, 'brand')).toBe('["12345678901234567890"]')
    const event = readEventWith('observed_data.whois.statuses', Array(5000).fill({}))
    expect([event.unreadable.count, event.unexpectedValues.length]).toEqual([5000, 100])
  })

  it('has a path relative to the event, even if the event is wrapped', () => {
    const { value } = readResponse(decodeEvent, { data: { date: 'yesterday' } })
    expect(findSentValue(value, 'date')).toBe('yesterday')
  })
})

describe('an unreadable value, formatted as text', () => {
  const deep = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  it.each([
    { name: 'nothing', value: null, text: 'null' },
    { name: 'a deep value', value: deep(50_000), text: `${'{"a":'.repeat(6)}"…"${'}'.repeat(6)}` },
    {
      name: 'the name of a JavaScript property',
      value: JSON.parse('{"__proto__":{"x":1}}'),
      text: '{"__proto__":{"x":1}}',
    },
  ])('is limited in length and valid JSON: $name', ({ value, text }) => {
    expect(formatUnexpectedValue(value, hideNothing).text).toBe(text)
  })

  it.each([
    { name: 'a long text', value: 'x'.repeat(1_000_000) },
    { name: 'many items', value: Array(100_000).fill('item') },
    {
      name: 'many names',
      value: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, index])),
    },
    { name: 'long names', value: { ['n'.repeat(1_000_000)]: 1 } },
    { name: 'a surrogate pair at the limit', value: `${'x'.repeat(3999)}😀` },
  ])('is limited in length, and ends in “…” if shortened: $name', ({ value }) => {
    const { text } = formatUnexpectedValue(value, hideNothing)
    expect(text.length).toBeLessThan(8000)
    expect(text).toContain('…')
    expect(text.isWellFormed()).toBe(true)
  })

  it('contains no token', () => {
    const redact = (text: string): string => text.replaceAll('secret', '[token]')
    expect(formatUnexpectedValue({ 'a secret': ['a secret'] }, redact).text).toBe(
      '{"a [token]":["a [token]"]}',
    )
  })
})
