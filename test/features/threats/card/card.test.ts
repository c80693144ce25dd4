import { describe, expect, it } from 'vitest'
import { eventForMembers } from '../../../../src/features/threats/rules/shown-event.ts'
import { buildThreatCard } from '../../../../src/features/threats/views/card.ts'
import { cardView } from '../../../../src/features/threats/views/card-message.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00Z')
const CARD_CONTEXT = { id: ID, now: NOW }
const BUTTONS = ['Details', 'Share to channel', 'Copy values', 'Export', 'One too many'].map((label) => ({
  label,
  line: `/threat ${ID}`,
}))

const buildCard = async (event: object, context: object = {}) =>
  buildThreatCard(await eventForMembers(readEvent({ ...event })), { ...CARD_CONTEXT, ...context })

const listLines = ({ verdict, lines, footer }: Awaited<ReturnType<typeof buildCard>>): string[] => [
  verdict,
  ...lines,
  String(footer),
]

function createEvent(change: (event: ReturnType<typeof createThreatEvent>) => void = () => undefined) {
  const changedEvent = createThreatEvent('exa.mple')
  change(changedEvent)
  return changedEvent
}

const MX_RECORD = {
  country_code: 'SE',
  ip: '198.51.100.9',
  name: 'mail.exa.mple',
  type: 'MX',
  autonomous_system_info: { as_number: '64502', as_organization: 'Example Mail' },
}

describe('the card of a threat event', () => {
  it('shows severity, kind, brand, target, age, and location, in that order', async () => {
    expect(listLines(await buildCard(createEvent()))).toEqual([
      '🔴 HIGH · domain reported · imitates Example Shops',
      'exa[.]mple',
      'Leads to /login',
      'Registered 5 d before the report',
      'On 192[.]0[.]2[.]1 · Example Hosting',
      'reported 1 d 22 h ago',
    ])
  })

  it('has at most eight lines and five buttons, even if every field is set', async () => {
    const fullEvent = createEvent((changedEvent) => {
      changedEvent.domain = 'examp1e-shops.test'
      changedEvent.observed_data.whois.owner_name = 'Redacted for privacy'
      changedEvent.observed_data.website.final_url = 'https://elsewhere.test/?a=1'
      changedEvent.observed_data.dns_records.push(MX_RECORD)
    })
    const card = await buildCard(fullEvent, {
      caseState: 'Taken by Ann 2 hours ago',
    })
    expect(listLines(card)).toEqual([
      '🔴 HIGH · domain reported · imitates Example Shops',
      'examp1e-shops[.]test',
      'Leads to elsewhere[.]test (another domain)',
      'Registered 5 d before the report',
      'On 192[.]0[.]2[.]1 · Example Hosting',
      'Taken by Ann 2 hours ago · reported 1 d 22 h ago',
    ])
    const { blocks } = cardView({ card, buttons: BUTTONS }, { environment: 'production' })
    expect(blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))).toHaveLength(5)
  })

  it('shows the ASCII form of a domain in punycode next to the deceptive spelling', async () => {
    const { lines } = await buildCard({ domain: 'xn--e1afmkfd.xn--p1ai' })
    expect(lines[0]).toBe('xn--e1afmkfd[.]xn--p1ai (пример[.]рф)')
  })

  it.each([
    { criticality: { level: 'SEVERE' }, expected: '⚪ SEVERE' },
    { criticality: { name: 'Medium' }, expected: '🟠 Medium' },
    { criticality: null, expected: '⚪ criticality not known' },
    { criticality: { level: ['HIGH'] }, expected: '⚪ criticality not known' },
    { criticality: { level: 'constructor' }, expected: '⚪ constructor' },
  ])('shows the criticality $criticality as $expected', async ({ criticality, expected }) => {
    expect((await buildCard({ criticality })).verdict).toBe(expected)
  })

  it.each([
    { created: '2026-11-18T09:00:00Z', expected: 'Registered on the day of the report' },
    { created: '2027-01-01T00:00:00Z', expected: 'Registered 2027-01-01' },
    // A registry that doesn't know the date.
    { created: '1970-01-01T00:00:00Z', expected: 'Registered 1970-01-01' },
    { created: null, expected: 'Registration date not known' },
  ])('shows the age at the time of the report: $expected', async ({ created, expected }) => {
    const changedEvent = createEvent()
    Object.assign(changedEvent.observed_data.whois, { creation_date: created })
    expect((await buildCard(changedEvent)).lines[2]).toBe(expected)
  })

  it.each([
    { finalUrl: 'https://exa.mple/', expected: 'Leads to its home page' },
    { finalUrl: 'https://EXA.mple/a/b?c=1#d', expected: 'Leads to /a/b?c=1#d' },
    { finalUrl: 'https://exa.mple/#!KzQ1abc', expected: 'Leads to /#!KzQ1abc' },
    { finalUrl: 'https://exa.mple@evil.test/login', expected: 'Leads to evil[.]test (another domain)' },
    { finalUrl: 'http://192.0.2.9:8080/x', expected: 'Leads to 192[.]0[.]2[.]9:8080 (an IP address)' },
    {
      finalUrl: 'https://xn--e1afmkfd.exa.mple/x',
      expected: 'Leads to xn--e1afmkfd[.]exa[.]mple (пример[.]exa[.]mple)',
    },
    {
      finalUrl: 'https://пример.рф/',
      expected: 'Leads to xn--e1afmkfd[.]xn--p1ai (пример[.]рф) (another domain)',
    },
    { finalUrl: 'javascript:alert(1)', expected: 'Leads to javascript[:]alert(1)' },
    { finalUrl: '', expected: 'Reported at hxxp://exa[.]mple/' },
  ])('shows where the page really leads: $finalUrl', async ({ finalUrl, expected }) => {
    const changedEvent = createEvent()
    Object.assign(changedEvent.observed_data.website, { final_url: finalUrl, origin_url: 'http://exa.mple/' })
    expect((await buildCard(changedEvent)).lines[1]).toBe(expected)
  })

  it('shows the other spelling of a punycode domain once, so that it has eight lines on a phone', async () => {
    const changedEvent = createEvent()
    changedEvent.domain = 'xn--e1afmkfd.xn--p1ai'
    changedEvent.observed_data.website.final_url = 'https://www.xn--e1afmkfd.xn--p1ai/x'
    const { lines } = await buildCard(changedEvent)
    expect(lines.filter((line) => line.includes('пример'))).toEqual([lines[0]])
  })

  it('shows which ID the service returned, and how many fields can’t be read', async () => {
    const changedEvent = {
      ...createEvent(),
      id: '7e57ed00-0000-4000-8000-00000000000b',
      comments: Array(50_000).fill(7),
    }
    const { footer } = await buildCard(changedEvent)
    expect(footer).toContain(`You asked for ${ID}, but the service returned event 7e57ed00-`)
    expect(footer).toContain('50,000 parts can’t be read')
  })

  it('claims nothing about fields that can’t be read', async () => {
    const unexpectedEvent = {
      type: 'SOMETHING_NEW',
      domain: ['exa.mple'],
      date: '18/11/2026',
      observed_data: { dns_records: '192.0.2.1', whois: { creation_date: '13/11/2026' } },
    }
    expect(listLines(await buildCard(unexpectedEvent))).toEqual([
      '⚪ criticality not known · something new',
      'Domain not known',
      'Registration date not known',
      '4 parts can’t be read',
    ])
  })
})
