import { describe, expect, it } from 'vitest'
import { findBlockable, findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { eventForMembers } from '../../../../src/features/threats/rules/shown-event.ts'
import { findHosts, findRegistrar } from '../../../../src/features/threats/takedown/addressees.ts'
import { writeLetter } from '../../../../src/features/threats/takedown/letters.ts'
import { readEvent } from '../../../service/reading.ts'
import { createEventWithText, createThreatEvent } from '../events.ts'
import { CORPUS } from '../hostile.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

/** Writes all letters about an event, the one to the registrar first. */
async function writeLettersAbout(rawEvent: object, environment: 'production' | 'ote' = 'production') {
  const fullEvent = readEvent({ ...rawEvent })
  const { event } = await eventForMembers(fullEvent)
  const indicators = findIndicators(fullEvent, { urls: 'trimmed', withOwner: false })
  const blockable = findBlockable(indicators, fullEvent)
  const registrar = findRegistrar(fullEvent, blockable)
  const { hosts, skippedCount } = findHosts(fullEvent, indicators, blockable)
  const addressees = [...(registrar ? [registrar] : []), ...hosts]
  const letters = addressees.map((to) =>
    writeLetter(to, { id: ID, environment, event, screenshot: undefined }),
  )
  return { letters, skippedCount, addressees }
}

describe('takedown letters', () => {
  it('go to the registrar and to each host, with the details relevant to each', async () => {
    const { letters } = await writeLettersAbout(createThreatEvent('exa.mple'))
    expect(letters[0]).toBe(
      [
        'To: Example Registrar',
        'Abuse contact: look it up before you send this letter',
        `Subject: Abuse report on exa[.]mple (threat event ${ID})`,
        '',
        'This letter is for the registrar of the domain below, which was reported as a threat.',
        'Please investigate, suspend the domain if it violates your terms or the law, and let us know what you decide.',
        '',
        'What is known (times in UTC)',
        '- Domain: exa[.]mple',
        '- Reported: 2026-11-18T14:00:00.000Z',
        '- Type: DOMAIN_REPORTED',
        '- Criticality: HIGH',
        '- Brand imitated: Example Shops',
        '- Page title: Sign in',
        '- Address reported: hxxp://exa[.]mple/',
        '- Leads to: hxxps://exa[.]mple/login',
        '- Registrar: Example Registrar',
        '- Domain registered: 2026-11-13T00:00:00.000Z',
        '- Record updated: 2026-11-14T00:00:00.000Z',
        '- Screenshot: none; manifest.json says why',
        '',
        'Evidence, defanged',
        '- domain: exa[.]mple',
        '- URL: hxxp://exa[.]mple/',
        '- URL: hxxps://exa[.]mple/login',
        '',
        'Evidence, unmodified (don’t open it; it may be harmful)',
        '- domain: exa.mple',
        '- URL: http://exa.mple/',
        '- URL: https://exa.mple/login',
        '',
        'manifest.json lists every file attached to this letter, with its SHA-256.',
        '',
        'Sent by (name, organization, contact details):',
        '',
      ].join('\n'),
    )
    const [, first = '', second = ''] = letters
    expect(first).toContain('To: Example Hosting, AS64500\n')
    expect(first).toContain('- IPv4 address: 192.0.2.1\n')
    expect(first).not.toContain('2001')
    expect(second).toContain('To: Example Network, AS64501\n')
    expect(second).toContain('- IPv6 address: 2001[:]db8[:][:]1\n')
    expect(second).toContain('- IPv6 address: 2001:db8::1\n')
  })

  it('are marked “Do not send” in OTE', async () => {
    const { letters } = await writeLettersAbout(createThreatEvent('exa.mple'), 'ote')
    expect(
      letters.filter((letter) => letter.startsWith('TEST: ') && letter.includes('Do not send.')),
    ).toEqual(letters)
  })

  it('report a page on an IP address only to the host of that address', async () => {
    const event = createThreatEvent('exa.mple')
    event.observed_data.whois.creation_date = '2004-01-01T00:00:00Z'
    event.observed_data.website.final_url = ''
    event.observed_data.website.origin_url = 'http://192.0.2.1/login'
    const { letters } = await writeLettersAbout(event)
    expect(letters).toHaveLength(1)
    expect(letters[0]).toContain('To: Example Hosting, AS64500\n')
    event.observed_data.website.origin_url = 'http://192.0.2.77/login'
    const unlisted = await writeLettersAbout(event)
    expect(unlisted.letters).toHaveLength(1)
    expect(unlisted.letters[0]).toContain('To: the host (not named in the event)\n')
    expect(unlisted.letters[0]).toContain('- URL: http://192.0.2.77/login\n')
    expect(unlisted.letters[0]).not.toContain('192.0.2.1\n')
  })

  it('don’t report mail servers, name servers, and zone records', async () => {
    const event = createThreatEvent('exa.mple')
    const [record] = event.observed_data.dns_records
    event.observed_data.dns_records = ['MX', ' ns', 'TXT', 'SOA'].flatMap((type) =>
      record ? [{ ...record, type }] : [],
    )
    const { letters } = await writeLettersAbout(event)
    expect(letters).toHaveLength(2)
    expect(letters[1]).toContain('To: the host (not named in the event)\n')
    expect(letters[1]).not.toContain('192')
  })

  it.each([
    { type: 'CNAME', name: 'exa.mple' },
    { type: 'A', name: 'target.of.a.cname.example' },
    { type: '', name: '' },
  ])('quote a record of type “$type” for “$name” to its host', async ({ type, name }) => {
    const event = createThreatEvent('exa.mple')
    event.observed_data.dns_records = event.observed_data.dns_records
      .slice(0, 1)
      .map((record) => ({ ...record, type, name }))
    const { letters } = await writeLettersAbout(event)
    expect(letters).toHaveLength(2)
    expect(letters[1]).toContain('To: Example Hosting, AS64500\n')
    const quoted = [type && `type ${type}, `, name && `name ${name.replaceAll('.', '[.]')}, `].join('')
    expect(letters[1]).toContain(
      `DNS records in the event, defanged\n- ${quoted}IP 192[.]0[.]2[.]1, AS 64500, organization Example Hosting`,
    )
  })

  it('quote what the event says of the registrar and host, without the owner', async () => {
    const event = createThreatEvent('exa.mple')
    event.observed_data.whois.registrar_name = 'R (abuse@r.test), for owner@mail.test'
    event.observed_data.whois.owner_email = 'owner@mail.test'
    event.observed_data.dns_records = event.observed_data.dns_records.slice(0, 1)
    for (const record of event.observed_data.dns_records)
      record.autonomous_system_info.as_organization = 'H, abuse@h.test, OWNER@mail.test'
    const { letters } = await writeLettersAbout(event)
    expect(letters[0]).toContain('To: R (abuse[@]r[.]test), for (personal data hidden)\n')
    expect(letters[1]).toContain('organization H, abuse[@]h[.]test, (personal data hidden)')
    expect(letters.join('').toLowerCase()).not.toMatch(/owner\[?@/)
  })

  it('report only the page of an older domain, and only to its host', async () => {
    const event = createThreatEvent('compromised.com')
    event.observed_data.whois.creation_date = '2004-01-01T00:00:00.000Z'
    event.observed_data.website.origin_url = 'https://compromised.com/wp/login?u=ceo@bank.example'
    event.observed_data.website.final_url = ''
    const { letters, addressees } = await writeLettersAbout(event)
    expect([...new Set(addressees.map(({ role }) => role))]).toEqual(['host'])
    expect(letters[0]).toContain('- URL: https://compromised.com/wp/login\n')
    expect(letters[0]).not.toContain('- domain: ')
    expect(letters.join('')).not.toContain('ceo')
  })

  it('go to nobody if the domain is invalid, and only to the host if it is an IP address', async () => {
    expect((await writeLettersAbout({ domain: 'not a domain' })).letters).toEqual([])
    const { addressees } = await writeLettersAbout({ domain: '192.0.2.9' })
    expect(addressees.map(({ role }) => role)).toEqual(['host'])
  })

  it('go to at most ten hosts, and count the hosts left out', async () => {
    const event = createThreatEvent('exa.mple')
    const [record] = event.observed_data.dns_records
    event.observed_data.dns_records = Array.from({ length: 200 }, (_, index) => ({
      country_code: 'NL',
      type: 'A',
      name: 'exa.mple',
      ip: `192.0.2.${index}`,
      autonomous_system_info: {
        as_organization: record?.name ?? '',
        as_number: String(64_500 + (index % 13)),
      },
    }))
    const { letters, skippedCount } = await writeLettersAbout(event)
    expect({ letters: letters.length, skippedCount }).toEqual({ letters: 11, skippedCount: 3 })
  })
})

describe('a hostile event', () => {
  const HEADER = ['To: ', 'Abuse contact: ', 'Subject: ', '']
  const INVISIBLE =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/
  const CLICKABLE = /https?:\/\/|evil\.(?:example|com|co)|[^\s[]@[^\s\]]|javascript:\S/i

  /** Lists the problems of a letter: injected header lines, invisible characters, or something clickable. */
  function listProblems(letter: string): string[] {
    const lines = letter.split('\n')
    const exactStart = lines.findIndex((line) => line.startsWith('Evidence, unmodified'))
    const exactLines = lines.slice(exactStart + 1, lines.indexOf('', exactStart))
    const rest = [...lines.slice(0, exactStart), ...lines.slice(exactStart + 1 + exactLines.length)]
    return [
      ...HEADER.filter((start, index) => !lines[index]?.startsWith(start)),
      ...lines.slice(HEADER.length).filter((line) => /^(?:to|b?cc|from|subject|reply-to)\b.*:/i.test(line)),
      ...rest.filter((line) => CLICKABLE.test(line)),
      ...exactLines.filter((line) => !/^- [\w ]+: [\x21-\x7e]+$/.test(line)),
      ...(letter.match(INVISIBLE) ?? []),
    ]
  }

  /** Creates an event with this text in every field but no owner, because texts that name the owner would be hidden. */
  function createEventWithoutOwner(text: string) {
    const { observed_data, ...rest } = createEventWithText(text, 1)
    const { owner_name: _, owner_email: __, ...whois } = observed_data.whois
    return { ...rest, observed_data: { ...observed_data, whois } }
  }

  /** The same, about a domain that may be blocked, so that there are letters. */
  function createEventOfNewDomain(text: string) {
    const { observed_data, ...rest } = createEventWithoutOwner(text)
    const whois = { ...observed_data.whois, creation_date: '2026-11-13T00:00:00Z' }
    return {
      ...rest,
      domain: 'evil.example',
      date: '2026-11-18T00:00:00Z',
      observed_data: { ...observed_data, whois },
    }
  }

  it('can’t add lines to a letter, or anything clickable outside its exact evidence', async () => {
    const problems: string[] = []
    let letterCount = 0
    for (const text of [
      ...CORPUS,
      ...CORPUS.map((hostile) => `x\r\nBcc: a@evil.example\r\n\r\n${hostile}`),
    ]) {
      for (const rawEvent of [createEventWithoutOwner(text), createEventOfNewDomain(text)]) {
        const { letters } = await writeLettersAbout(rawEvent)
        letterCount += letters.length
        problems.push(...letters.flatMap(listProblems))
      }
    }
    expect(letterCount).toBeGreaterThan(1000)
    expect(problems.slice(0, 10)).toEqual([])
  })
})
