import { describe, expect, it } from 'vitest'
import { HIDDEN } from '../../../../src/features/threats/rules/redact-url.ts'
import { eventForMembers, factsOnly } from '../../../../src/features/threats/rules/shown-event.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

const OWNER_NAME = 'Jane Q. Roe'

/** Returns a page title with this text as members see it. */
async function showTitle(text: string, ownerName = OWNER_NAME): Promise<string | undefined> {
  const event = createThreatEvent('exa.mple')
  event.observed_data.whois.owner_name = ownerName
  event.observed_data.website.page_title = text
  const { event: shown } = await eventForMembers(readEvent({ ...event }))
  return shown.observedData?.website?.pageTitle
}

describe('the text fields of an event, for members', () => {
  it.each<{ description: string; text: string; expected: string; owner?: string }>([
    {
      description: 'a name of two ideographs',
      text: '王伟的网站',
      expected: `${HIDDEN}的网站`,
      owner: '王伟',
    },
    { description: 'an email address', text: 'Mail jane@mail.test now', expected: `Mail ${HIDDEN} now` },
    {
      description: 'an email address that is spelled out',
      text: 'jane [at] mail [dot] test',
      expected: HIDDEN,
    },
    {
      description: 'an email address in a link',
      text: 'x?to=jane%40mail.test&y=1',
      expected: `x?to=${HIDDEN}&y=1`,
    },
    {
      description: 'an international phone number',
      text: 'Call +49 (0)30 123-4567.',
      expected: `Call ${HIDDEN}.`,
    },
    {
      description: 'a phone number that begins with zeros',
      text: 'Tel: 0049301234567',
      expected: `Tel: ${HIDDEN}`,
    },
    { description: 'a national phone number', text: '030/123 45 67 only', expected: `${HIDDEN} only` },
    {
      description: 'an American phone number',
      text: '555-010-9999 or (555) 010-9999',
      expected: `${HIDDEN} or ${HIDDEN}`,
    },
    { description: 'the owner’s name', text: 'by Jane Q. Roe, 2026', expected: `by ${HIDDEN}, 2026` },
    {
      description: 'a name with a hyphen and brackets',
      text: 'by Anne-Marie (Roe)',
      expected: `by ${HIDDEN}`,
      owner: 'Anne-Marie (Roe)',
    },
    {
      description: 'the owner’s name in capitals and with other spaces',
      text: 'JANE  Q.\u00a0ROE',
      expected: HIDDEN,
    },
  ])('hide $description', async ({ text, expected, owner }) => {
    expect(await showTitle(text, owner)).toBe(expected)
  })

  it.each([
    'Reported on 2026-11-20, again on 03.11.2026',
    'On 192.0.2.100 since 14:00:05',
    'Order 20261120 of 4111',
    'A name in other words: Jane Roe, jane_roe, J. Roe',
    'JaneQ.Roebuck',
  ])('stay unchanged: %s', async (text) => {
    expect(await showTitle(text)).toBe(text)
  })

  it.each(['REDACTED FOR PRIVACY', 'J.', ''])(
    'keep ordinary words even if the owner’s name is “%s”',
    async (owner) => {
      expect(await showTitle('Privacy for J. and you', owner)).toBe('Privacy for J. and you')
    },
  )

  it('hide an accented name in any Unicode normalization', async () => {
    expect(await showTitle('von Jo\u0308rg Mu\u0308ller', 'Jörg Müller')).toBe(`von ${HIDDEN}`)
  })

  it('are processed quickly even if they contain hostile input', async () => {
    const hostileTexts = [
      '@'.repeat(6000),
      '1 '.repeat(3000),
      '(+'.repeat(3000),
      'a@'.repeat(3000),
      'Jane '.repeat(1200),
    ]
    for (const text of hostileTexts) expect((await showTitle(text))?.length).toBeGreaterThan(0)
  })

  it('are hidden if the WHOIS record has an unexpected format', async () => {
    const rawEvent = { ...createThreatEvent('exa.mple'), observed_data: { whois: ['registrant: Jane Roe'] } }
    const { event, hiddenOwnerData } = await eventForMembers(readEvent(rawEvent))
    expect(JSON.stringify(event)).not.toContain('Jane')
    expect(hiddenOwnerData).toBe('WHOIS record in an unexpected format')
  })
})

describe('the facts of an event, for guests and channels', () => {
  const showFacts = async (rawEvent: object) =>
    factsOnly(await eventForMembers(readEvent({ ...rawEvent }))).event

  it('include only values chosen by the service', async () => {
    const { comments, observedData, domain, brand } = await showFacts(createThreatEvent('exa.mple'))
    expect({ domain, brand: brand?.name, comments }).toEqual({
      domain: 'exa.mple',
      brand: 'Example Shops',
      comments: undefined,
    })
    expect(observedData?.website).toEqual({
      originUrl: 'http://exa.mple/',
      finalUrl: 'https://exa.mple/…',
      redirectionTypes: ['HTTP_301', 'JAVASCRIPT'],
    })
    expect(Object.keys(observedData?.whois ?? {}).toSorted()).toEqual([
      'creationDate',
      'expirationDate',
      'registrarName',
      'statuses',
      'updatedDate',
    ])
  })

  it('omit non-HTTP URLs, URLs with a password, and values of the wrong type', async () => {
    const rawEvent = createThreatEvent('exa.mple')
    rawEvent.observed_data.website.origin_url = 'https://jane:roe@exa.mple/'
    rawEvent.observed_data.website.final_url = 'mailto:jane@mail.test'
    const unexpectedEvent = { ...rawEvent, brand: { name: ['Jane Roe'] }, type: { by: 'Jane Roe' } }
    const event = await showFacts(unexpectedEvent)
    expect(JSON.stringify(event)).not.toMatch(/jane/i)
  })

  it('count no parts in an unexpected format, which guests can’t look at', async () => {
    const raw = { ...createThreatEvent('exa.mple'), type: { by: 'Jane Roe' } }
    expect(readEvent(raw).unreadable.count).toBeGreaterThan(0)
    expect((await showFacts(raw)).unreadable.count).toBe(0)
  })
})
