import type { KnownBlock } from '@slack/types'
import { describe, expect, it } from 'vitest'
import { type Message, message } from '../../../../src/blocks/message.ts'
import { threatCard } from '../../../../src/features/threats/card/card.ts'
import { threatsView } from '../../../../src/features/threats/card/views.ts'
import { threatEventOf } from '../../../api/reading.ts'
import { sentMessage } from '../accepted.ts'
import { eventOf, everywhere } from '../events.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00Z')
const FRAME = { id: ID, now: NOW, origin: 'https://api.example.com', room: 11_500, personal: true }

const cardOf = (event: object, room = FRAME.room) =>
  threatCard(threatEventOf({ ...event }), { ...FRAME, room })
const show = (...events: object[]): Message =>
  threatsView(
    events.map((event) => cardOf(event, FRAME.room / events.length)),
    [],
    'production',
  )

function accepted(shown: Message): Message {
  sentMessage(shown)
  return shown
}

/** Every property anywhere in a value, innermost included. */
function* properties(part: unknown): Generator<[key: string, value: unknown]> {
  if (typeof part !== 'object' || part === null) return
  for (const [key, value] of Object.entries(part)) {
    yield [key, value]
    yield* properties(value)
  }
}

const named = (part: unknown, name: string): string[] =>
  [...properties(part)].flatMap(([key, value]) => (key === name && typeof value === 'string' ? [value] : []))

/** All text that can be read in the blocks. */
const textsOf = (blocks: readonly KnownBlock[]): string[] => named(blocks, 'text')

describe('a card', () => {
  it('says everything in the event, in the order a responder needs it', () => {
    const { text } = accepted(show(eventOf('exa.mple')))
    const order = [
      'Threat event: exa[.]mple',
      'Criticality: High (HIGH)',
      'Type: DOMAIN_REPORTED',
      'Brand: Example Shops (id 301)',
      'Brand monitored since: <!date^1614556800^',
      'Brand grouping key: shops',
      'When: <!date^1795010400^{date_short_pretty} {time}|2026-11-18 14:00 UTC> (1 day ago)',
      'Customer: 1100',
      `Event: ${ID}`,
      'Website:',
      'Page title: Sign in',
      'Page description: Sign in now',
      'Address reported: hxxp://exa[.]mple/',
      'Address it leads to: hxxps://exa[.]mple/login',
      'Redirections: HTTP_301, JAVASCRIPT',
      '2 DNS records:',
      'A · exa[.]mple · 192[.]0[.]2[.]1 · NL · AS64500 Example Hosting',
      'AAAA · exa[.]mple · 2001[:]db8[:][:]1 · SE · AS64501 Example Network',
      'WHOIS:',
      'Owner: Somebody',
      "Owner's e-mail: owner[@]exa[.]mple",
      "Owner's organisation: Example Organisation",
      'Registrar: Example Registrar',
      'Statuses: clientHold, addPeriod',
      'Created: ',
      'Updated: ',
      'Expires: <!date^1826064000^{date_short_pretty} {time}|2027-11-13 00:00 UTC> (in 357 days)',
      'WHOIS record: hxxps://rdap[.]example/exa[.]mple',
      '1 comment:',
      'Seen twice.',
      'Captures:',
      'Screenshot: https:',
      'Page source: hxxps://elsewhere[.]example/source',
    ]
    const places = order.map((part) => text.indexOf(part))
    expect(order.filter((_, index) => places[index] === -1)).toEqual([])
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  it('shows the DNS records as a table with the autonomous system', () => {
    const { blocks } = show(eventOf('exa.mple'))
    const found = blocks.find((block) => block.type === 'table')
    expect(found?.rows[1]).toEqual(
      ['A', 'exa[.]mple', '192[.]0[.]2[.]1', 'NL', 'AS64500 Example Hosting'].map((text) => ({
        type: 'raw_text',
        text,
      })),
    )
  })

  it('links to the service and to nothing else', () => {
    expect(named(show(eventOf('exa.mple')).blocks, 'url')).toEqual(['https://api.example.com/screenshot.png'])
  })

  it.each([
    { what: 'nothing at all', event: {} },
    { what: 'nothing but nulls', event: { domain: null, brand: null, observed_data: null, comments: null } },
    {
      what: 'empty parts',
      event: {
        brand: {},
        criticality: {},
        comments: [{}],
        observed_data: { dns_records: [{}], whois: {}, website: {} },
      },
    },
    {
      what: 'wrong types',
      event: { domain: 5, brand: 'x', comments: 'none', observed_data: { dns_records: [1, null] } },
    },
    { what: 'old dates', event: { date: '0001-01-01T00:00:00Z' } },
  ])('is a card with $what', ({ event }) => {
    const { text, blocks } = accepted(show(event))
    expect(text).toContain(ID)
    expect(JSON.stringify({ text, blocks })).not.toMatch(/undefined|null|NaN|\[object/)
  })

  it('names what could not be read', () => {
    expect(show({ brand: { id: 'x' } }).text).toContain('could not be read, hence left out: brand › id.')
    const { text } = show({ comments: Array(50_000).fill(7) })
    expect(text).toContain('comments[9] and 49,990 more.')
  })

  it('says that it is of OTE', () => {
    const { text, blocks } = threatsView([cardOf({ domain: 'exa.mple' })], [], 'ote')
    expect(text).toContain('Threat event: exa[.]mple (OTE)')
    expect(textsOf(blocks)).toContain('OTE test environment')
  })

  it('frames comments, so that no line of one passes for a line of the card', () => {
    const { text, blocks } = show({ comments: [{ content: 'fine\nCriticality: Low' }] })
    expect(text).toContain('\n  fine\n  Criticality: Low')
    expect(JSON.stringify(blocks)).toContain('"rich_text_quote"')
  })
})

describe('an event at the extremes', () => {
  const record = { type: 'A', name: 'a.exa.mple', ip: '192.0.2.7', country_code: 'NL' }
  const big = 'x<!channel>.exa.mple\u202e '.repeat(80_000)

  it.each([
    {
      what: '5,000 DNS records',
      event: { observed_data: { dns_records: Array(5000).fill(record) } },
      says: /and 4\d\d\d more DNS records/,
    },
    {
      what: '2 MB of WHOIS',
      event: {
        observed_data: {
          whois: {
            owner_name: big,
            owner_email: big,
            owner_organisation: big,
            registrar_name: big,
            resource_url: big,
            statuses: Array(5000).fill('clientHold'),
          },
        },
      },
      says: /x<!channel>\[\.\]exa.*and 4\d\d\d more/s,
    },
    {
      what: '10,000 comments',
      event: { comments: Array(10_000).fill({ content: 'a comment', date: '2026-11-01T00:00:00Z' }) },
      says: /and 9\d\d\d more comments/,
    },
    {
      what: '10,000 empty comments',
      event: { comments: Array(10_000).fill({ content: '' }) },
      says: /and 9\d\d\d more comments/,
    },
  ])('is a card that Slack takes, with a count of what is left: $what', ({ event, says }) => {
    const { text, blocks } = accepted(show(event))
    expect(textsOf(blocks).join('\n')).toMatch(says)
    expect(text).toMatch(/and \d+ more/)
  })

  it('still is one when everything is too long, and says so in whole lines', () => {
    const { text, blocks } = accepted(show(everywhere(big)))
    expect(blocks.map(({ type }) => type)).toContain('actions')
    expect(text.endsWith('The rest is on the card.')).toBe(true)
  })
})

describe('personal data of the WHOIS record', () => {
  const plain = (event: object) =>
    threatsView([threatCard(threatEventOf({ ...event }), { ...FRAME, personal: false })], [], 'production')

  it('stands on a card only when it was asked for', () => {
    const shown = JSON.stringify(plain(eventOf('exa.mple')))
    expect(shown).not.toMatch(/Somebody|owner\[@\]/)
    expect(shown).toContain('Owner: name and e-mail address behind the button WHOIS')
    expect(shown).toContain('Example Registrar')
    expect(JSON.stringify(show(eventOf('exa.mple')))).toMatch(/Somebody.*owner\[@\]exa\[\.\]mple/s)
  })

  it('is left out of the fields where nobody expects it', () => {
    const whois = {
      owner_organisation: 'Jane <jane@exa.mple>, Ltd.',
      registrar_name: 'registrar（jane＠exa.mple）',
      statuses: ['held for jane@exa.mple'],
      resource_url: 'https://rdap.example/entity/jane@exa.mple',
    }
    const shown = JSON.stringify(plain({ observed_data: { whois } }))
    expect(shown).not.toContain('jane')
    expect(shown.match(/e-mail address left out/g)?.length).toBeGreaterThanOrEqual(4)
  })
})

describe('the buttons of a card', () => {
  const labelsOf = (event: object) =>
    cardOf(event).actions.map(({ label, line }) => `${label}: ${line.replace(ID, 'ID')}`)

  it('lead to all that can be done with it', () => {
    const event = eventOf('exa.mple')
    event.observed_data.website.source_resource_url = 'https://api.example.com/source'
    expect(labelsOf(event)).toEqual([
      'Share to channel: /threat ID --share',
      'WHOIS: /threat whois ID',
      'Screenshot: /threat screenshot ID',
      'Page source: /threat source ID',
      'Export indicators: /threat export ID',
      'Copy: /threat copy ID',
      'Watch this domain: /hc create --name "Threat exa[.]mple" --target exa.mple --protocol HTTPS --customer 1100',
    ])
  })

  it('are fewer where there is less', () => {
    expect(labelsOf({ domain: 'no domain' })).toEqual([
      'Share to channel: /threat ID --share',
      'Export indicators: /threat export ID',
      'Copy: /threat copy ID',
    ])
    expect(labelsOf(eventOf('exa.mple')).join()).not.toContain('Page source')
  })
})

describe('several cards', () => {
  const small = (domain: string) => ({ ...eventOf(domain), id: ID })

  it('are whole while there is room, the first alone with a table', () => {
    const { text, blocks } = accepted(show(small('a.example'), small('b.example'), small('c.example')))
    expect(blocks.filter(({ type }) => type === 'table')).toHaveLength(1)
    expect(blocks.filter(({ type }) => type === 'header')).toHaveLength(3)
    expect(text).toMatch(/a\[\.\]example.*b\[\.\]example.*c\[\.\]example/s)
  })

  it('become short with a button to the whole where there is none', () => {
    const events = Array.from({ length: 10 }, (_, index) => small(`site-${index}.example`))
    const { blocks } = accepted(show(...events))
    const texts = textsOf(blocks).join('\n')
    for (let index = 0; index < 10; index += 1) expect(texts).toContain(`site-${index}[.]example`)
    const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
    expect(buttons).toContainEqual(
      expect.objectContaining({
        value: `/threat ${ID}`,
        text: { type: 'plain_text', text: 'Whole card', emoji: false },
      }),
    )
    expect(texts).not.toContain('left out: too much')
  })

  it('stay within the limits with remarks beside them', () => {
    const cards = Array.from({ length: 5 }, () => cardOf(everywhere('x'.repeat(500)), 2400))
    const remarks = Array.from({ length: 6 }, () => `<!here> ${'could not be shown '.repeat(30)}`)
    const shown = accepted(threatsView(cards, remarks, 'ote'))
    expect(shown.blocks).toEqual(message('', ...shown.blocks).blocks)
    expect(shown.text).toContain('&lt;!here&gt; could not be shown')
  })
})
