import { describe, expect, it } from 'vitest'
import { toCsv } from '../../../../src/features/threats/indicators/export.ts'
import { findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { readEvent } from '../../../service/reading.ts'
import { createEventWithText, createThreatEvent } from '../events.ts'
import { CORPUS } from '../hostile.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

/** Parses cells like a spreadsheet with this separator: quotes only count at the start of a cell. */
function parseCsv(csv: string, separator: string): string[][] {
  const lines = csv.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.filter((line) => line !== '').map((line) => parseCsvLine(line, separator))
}

function parseCsvLine(line: string, separator: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"?/.exec(rest)
    const afterQuotes = quoted ? rest.slice(quoted[0].length) : rest
    const end = afterQuotes.indexOf(separator)
    const plain = end === -1 ? afterQuotes : afterQuotes.slice(0, end)
    cells.push((quoted?.[1] ?? '').replaceAll('""', '"') + plain)
    if (end === -1) return cells
    rest = afterQuotes.slice(end + 1)
  }
}

/** Whether a spreadsheet treats the cell as a formula. */
const isFormula = (cell: string): boolean => /^[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell)

describe('indicators as CSV', () => {
  it('have one row each, with the details of their event', () => {
    const event = readEvent(createThreatEvent('exa.mple'))
    const [header, ...rows] = parseCsv(toCsv(ID, event, findIndicators(event)), ',')
    expect(header).toEqual([
      'kind',
      'value',
      'found in',
      'name',
      'threat event',
      'type',
      'criticality',
      'brand',
      'date',
    ])
    const eventFields = [ID, 'DOMAIN_REPORTED', 'HIGH', 'Example Shops', '2026-11-18T14:00:00.000Z']
    expect(rows).toEqual([
      ['domain', 'exa.mple', 'threat event', '', ...eventFields],
      ['url', 'http://exa.mple/', 'address reported', '', ...eventFields],
      ['url', 'https://exa.mple/login', 'address it leads to', '', ...eventFields],
      ['ipv4', '192.0.2.1', 'DNS record', '', ...eventFields],
      ['as', '64500', 'DNS record', 'Example Hosting', ...eventFields],
      ['ipv6', '2001:db8::1', 'DNS record', '', ...eventFields],
      ['as', '64501', 'DNS record', 'Example Network', ...eventFields],
      ['email', 'owner@exa.mple', 'WHOIS', '', ...eventFields],
    ])
  })

  it.each([',', ';', '\t', '|'])('are never run as a formula if %j separates the cells', (separator) => {
    const formulas = [
      ...['=1+1', '+1', '-1', '@SUM(1)', ' =1', '"=1"', "'=1", '\t=1', '\r=1', '\n=1', '＝1', '|x', '%x'],
      ...['a;=1', 'a\t=1', 'a|=1', 'a; =1', 'a,=1', 'a";=1', "a;'=1", 'a;"=1', 'x\n;=1', ';@x', '";"=1"'],
      ...CORPUS,
    ]
    for (const formula of formulas) {
      const event = readEvent({
        ...createEventWithText(formula, 1),
        domain: 'exa.mple',
        observed_data: {
          dns_records: [{ autonomous_system_info: { as_number: '1', as_organization: formula } }],
          website: { origin_url: `https://exa.mple/;=${formula}` },
          whois: { owner_email: `=cmd@exa.mple` },
        },
      })
      const cells = parseCsv(toCsv(ID, event, findIndicators(event)), separator).flat()
      expect(cells.filter(isFormula), JSON.stringify(formula)).toEqual([])
    }
  })
})
