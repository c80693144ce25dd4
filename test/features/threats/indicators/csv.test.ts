import { describe, expect, it } from 'vitest'
import { toCsv } from '../../../../src/features/threats/indicators/export.ts'
import { toStix } from '../../../../src/features/threats/indicators/stix.ts'
import { findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom } from '../../../random.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'
import { listViolations } from './stix-rules.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00.000Z')

const DOMAINS = ['exa.mple', 'docs.google.com', 'a.github.io']
const EVENTS = quickOrLong('INDICATED_EVENTS', { quick: 60, long: 3000 })
const ADDRESSES = ['192.0.2.9', '2001:db8::9']

const toUrlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host || 'no-domain.test')

/** Parses cells like a spreadsheet: quotes only count at the start of a cell. */
function parseCsv(csv: string): string[][] {
  const lines = csv.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.filter((line) => line !== '').map(parseCsvLine)
}

function parseCsvLine(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"?/.exec(rest)
    const afterQuotes = quoted ? rest.slice(quoted[0].length) : rest
    const end = afterQuotes.indexOf(',')
    const plain = end === -1 ? afterQuotes : afterQuotes.slice(0, end)
    cells.push((quoted?.[1] ?? '').replaceAll('""', '"') + plain)
    if (end === -1) return cells
    rest = afterQuotes.slice(end + 1)
  }
}

describe('indicators as CSV', () => {
  it('have one row each, with the details of their event', async () => {
    const event = readEvent(createThreatEvent('exa.mple'))
    const [header, ...rows] = parseCsv((await toCsv(ID, event, await findIndicators(event))).toString())
    expect(header?.join()).toBe('kind,value,use,found in,name,threat event,type,criticality,brand,date')
    const eventFields = [ID, 'DOMAIN_REPORTED', 'HIGH', 'Example Shops', '2026-11-18T14:00:00.000Z']
    expect(rows).toEqual([
      ['domain', 'exa.mple', 'block', 'threat event', '', ...eventFields],
      ['url', 'http://exa.mple/', 'block', 'address reported', '', ...eventFields],
      ['url', 'https://exa.mple/login', 'block', 'address it leads to', '', ...eventFields],
      ['ipv4', '192.0.2.1', 'context', 'DNS record', '', ...eventFields],
      ['as', '64500', 'context', 'DNS record', 'Example Hosting', ...eventFields],
      ['ipv6', '2001:db8::1', 'context', 'DNS record', '', ...eventFields],
      ['as', '64501', 'context', 'DNS record', 'Example Network', ...eventFields],
    ])
  })

  it.each([
    { days: 365, blocked: ['exa.mple', 'https://exa.mple/a', 'https://exa.mple/b'] },
    { days: 366, blocked: ['https://exa.mple/a', 'https://exa.mple/b'] },
  ])('block a domain registered $days days before the report: $blocked', async ({ days, blocked }) => {
    const event = readEvent({
      date: '2026-11-18T14:00:00Z',
      domain: 'exa.mple',
      observed_data: {
        website: { origin_url: 'https://exa.mple/a', final_url: 'https://exa.mple/b' },
        whois: { creation_date: new Date(Date.UTC(2026, 10, 18 - days, 14)).toISOString() },
      },
    })
    const rows = parseCsv((await toCsv(ID, event, await findIndicators(event))).toString())
    expect(rows.filter(([, , use]) => use === 'block').map(([, value]) => value)).toEqual(blocked)
  })

  it('block exactly what valid STIX indicates, and have the same values, for random events', async () => {
    const { below, oneOf } = createRandom()
    let blockCount = 0
    for (let index = 0; index < EVENTS; index += 1) {
      const rawEvent = createThreatEvent(oneOf([...DOMAINS, ...ADDRESSES, '']))
      const { website, whois, dns_records: records } = rawEvent.observed_data
      const host = oneOf([toUrlHost(rawEvent.domain), 'other.test', '192.0.2.77'])
      const addresses = [
        '',
        `https://${host}/`,
        `https://${host}/a?u=ceo@bank.example`,
        'https://x y',
        `https://b@${host}:8443/b`,
      ]
      website.origin_url = oneOf(addresses)
      website.final_url = oneOf(addresses)
      whois.creation_date = oneOf(['2004-01-01T00:00:00Z', '2026-11-13T00:00:00Z', ''])
      rawEvent.observed_data.dns_records = records.slice(0, below(3))
      const event = readEvent({ ...rawEvent })
      const indicators = await findIndicators(event)
      const [, ...rows] = parseCsv((await toCsv(ID, event, indicators)).toString())
      const file = await toStix(event, indicators, { id: ID, now: NOW })
      const label = `event ${index}`
      const parsed = JSON.parse(file.toString())
      expect(file.toString(), label).toBe(`${JSON.stringify(parsed, undefined, 2)}\n`)
      expect(listViolations(parsed), label).toEqual([])
      const objects: Record<string, unknown>[] = parsed.objects
      const blocked = rows.filter(([, , use]) => use === 'block').map(([, value]) => value)
      const patterns = objects
        .filter(({ type }) => type === 'indicator')
        .map(({ pattern }) => String(pattern))
      expect(patterns.map((pattern) => /:value = '(.*)'\]$/.exec(pattern)?.[1]).toSorted(), label).toEqual(
        blocked.toSorted(),
      )
      const observed = objects.flatMap(({ value, number }) => String(value ?? number ?? '') || [])
      expect(observed.toSorted(), label).toEqual(rows.map(([, value]) => value).toSorted())
      blockCount += blocked.length
      const hasReportedPage = /\/[ab](?:\?|$)|x y/.test(website.origin_url)
      const isNew = DOMAINS.includes(rawEvent.domain) && whois.creation_date.startsWith('2026')
      if (hasReportedPage && !isNew) expect(blocked, label).not.toContain(rawEvent.domain)
      if (website.origin_url.includes('192.0.2.77') && !website.origin_url.includes('x y')) {
        const url = URL.parse(website.origin_url)
        expect(
          blocked.some((value) => URL.parse(value ?? '')?.host === url?.host),
          label,
        ).toBe(true)
        expect(blocked, label).not.toContain('192.0.2.77')
      }
    }
    expect(blockCount).toBeGreaterThan(EVENTS / 4)
  })
})
