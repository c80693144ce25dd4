import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toStix } from '../../../../src/features/threats/indicators/stix.ts'
import { findIndicators } from '../../../../src/features/threats/rules/indicators.ts'
import { WEB_URL } from '../../../any-character.ts'
import { readEvent } from '../../../service/reading.ts'
import { createEventWithText, createThreatEvent } from '../events.ts'
import { HOSTILE } from '../hostile.ts'
import { listViolations } from './stix-rules.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00.000Z')

async function createBundle(rawEvent: object) {
  const event = readEvent({ ...rawEvent })
  const file = await toStix(event, await findIndicators(event), { id: ID, now: NOW })
  return JSON.parse(file.toString())
}

describe('indicators as a STIX bundle', () => {
  it('contain every kind of object, with relationships', async () => {
    const bundle = await createBundle(createThreatEvent('exa.mple'))
    expect(listViolations(bundle)).toEqual([])
    const byId = new Map(bundle.objects.map((object: { id: string }) => [object.id, object]))
    const describeObject = (id: string) => {
      const object = byId.get(id) as { type: string; value?: string; number?: number; pattern?: string }
      return `${object.type} ${object.value ?? object.number ?? object.pattern ?? ''}`.trim()
    }
    const relationships = bundle.objects
      .filter(({ type }: { type: string }) => type === 'relationship')
      .map((relationship: { source_ref: string; relationship_type: string; target_ref: string }) =>
        [
          describeObject(relationship.source_ref),
          relationship.relationship_type,
          describeObject(relationship.target_ref),
        ].join(' '),
      )
    expect(relationships).toEqual([
      "indicator [domain-name:value = 'exa.mple'] based-on observed-data",
      "indicator [url:value = 'http://exa.mple/'] based-on observed-data",
      "indicator [url:value = 'https://exa.mple/login'] based-on observed-data",
    ])
  })

  it('include their author, their sharing restrictions, and the date of their event', async () => {
    const findIndicator = (bundle: { objects: Record<string, unknown>[] }) =>
      bundle.objects.find(({ type }) => type === 'indicator')
    const plain = await createBundle(createThreatEvent('exa.mple'))
    const [marking, identity] = plain.objects
    expect(marking.name).toBe('TLP:AMBER')
    expect(findIndicator(plain)).toMatchObject({
      created_by_ref: identity.id,
      object_marking_refs: [marking.id],
      indicator_types: ['malicious-activity'],
      ...{ created: '2026-11-18T14:00:00.000Z', modified: '2026-11-18T14:00:00.000Z' },
      valid_from: '2026-11-18T14:00:00.000Z',
    })
    for (const { type, object_marking_refs } of plain.objects.slice(2))
      expect(object_marking_refs, type).toEqual([marking.id])
    expect(JSON.stringify(plain)).not.toContain('owner@exa.mple')
  })

  it.each([undefined, '2027-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'])(
    'are valid from the time of their export if their event has the date %s',
    async (date) => {
      const { objects } = await createBundle({ domain: 'exa.mple', date })
      expect(objects[2]).toMatchObject({ created: NOW.toISOString(), valid_from: NOW.toISOString() })
    },
  )

  it('give each observable the ID that other tools give it', async () => {
    // Computed by other implementations, from the canonical JSON of `value`.
    const publishedExample = {
      domain: 'example.com',
      observed_data: { dns_records: [{ ip: '198.51.100.3' }] },
    }
    const text = JSON.stringify(await createBundle(publishedExample))
    expect(text).toContain('ipv4-addr--28bb3599-77cd-5a82-a950-b5bc3caf07c4')
    expect(text).toContain('domain-name--bedb4899-d24b-5401-bc86-8f6b4cc18ec7')
  })

  it('mark only the event’s own domain as malicious', async () => {
    const event = createThreatEvent('exa.mple')
    event.observed_data.website.final_url = 'https://shop.example.com/'
    const bundle = await createBundle(event)
    const patterns = bundle.objects.map(({ pattern }: { pattern?: string }) => pattern ?? '')
    expect(patterns.join()).not.toContain('shop.example.com')
    expect(JSON.stringify(bundle)).toContain('https://shop.example.com/')
  })

  /** Lists the patterns that other tools would block. */
  const listPatterns = async (rawEvent: object): Promise<string[]> =>
    (await createBundle(rawEvent)).objects.flatMap(({ pattern }: { pattern?: string }) =>
      pattern ? [pattern] : [],
    )

  const createOldEvent = (domain: string, website: object = {}) => ({
    domain,
    date: '2026-11-18T14:00:00.000Z',
    observed_data: { whois: { creation_date: '1997-09-15T00:00:00Z' }, website },
  })

  it.each([
    {
      description: 'only the page on an old domain that many people use',
      event: createOldEvent('docs.google.com', { origin_url: 'https://docs.google.com/forms/d/1' }),
      patterns: ["[url:value = 'https://docs.google.com/forms/d/1']"],
    },
    {
      description: 'only the page behind a # on an old domain',
      event: createOldEvent('filehost.example', { origin_url: 'https://filehost.example/#!KzQ1abc' }),
      patterns: ["[url:value = 'https://filehost.example/#!KzQ1abc']"],
    },
    {
      description: 'nothing on an old domain that many people use if no page is named',
      event: createOldEvent('docs.google.com', { origin_url: 'https://docs.google.com/' }),
      patterns: [],
    },
    {
      description: 'an old registered domain if no page is named',
      event: createOldEvent('exa.mple'),
      patterns: ["[domain-name:value = 'exa.mple']"],
    },
    {
      description: 'one person’s subdomain of a domain that many people use',
      event: createOldEvent('evil.github.io'),
      patterns: ["[domain-name:value = 'evil.github.io']"],
    },
    {
      description: 'only the page if the domain’s age is unknown',
      event: { domain: 'exa.mple', observed_data: { website: { origin_url: 'https://exa.mple/?id=1' } } },
      patterns: ["[url:value = 'https://exa.mple/?id=1']"],
    },
    {
      description: 'only the page on an IP address in another notation',
      event: { domain: '192.0.2.9', observed_data: { website: { origin_url: 'http://3221225993:8080/x' } } },
      patterns: ["[url:value = 'http://192.0.2.9:8080/x']"],
    },
    {
      description: 'only the page on an IPv6 address',
      event: { domain: '2001:db8::9', observed_data: { website: { origin_url: 'http://[2001:db8::9]/a' } } },
      patterns: ["[url:value = 'http://[2001:db8::9]/a']"],
    },
    {
      description: 'an IP address that the event is about if it names no page',
      event: { domain: '192.0.2.9' },
      patterns: ["[ipv4-addr:value = '192.0.2.9']"],
    },
    {
      description: 'nothing on an IP address if the reported page is elsewhere',
      event: { domain: '192.0.2.9', observed_data: { website: { origin_url: 'https://other.test/a' } } },
      patterns: [],
    },
    {
      description: 'the reported page on an IP address, and not the old domain that the event names',
      event: createOldEvent('exa.mple', { origin_url: 'http://192.0.2.9/' }),
      patterns: ["[url:value = 'http://192.0.2.9/']"],
    },
    {
      description: 'the reported page on an IP address if the event names no domain',
      event: { observed_data: { website: { origin_url: 'http://192.0.2.9/login' } } },
      patterns: ["[url:value = 'http://192.0.2.9/login']"],
    },
  ])('mark $description as malicious', async ({ event, patterns }) => {
    expect(await listPatterns(event)).toEqual(patterns)
    expect(listViolations(await createBundle(event))).toEqual([])
  })

  it.each([
    { description: 'an empty event', event: {} },
    {
      description: 'an address with two #',
      event: { observed_data: { website: { origin_url: 'https://exa.mple/#/login#step2#x' } } },
    },
  ])('are valid for $description', async ({ event }) => {
    expect(listViolations(await createBundle(event))).toEqual([])
  })

  it('are valid for hostile and random event data', async () => {
    const anyText = fc.oneof(HOSTILE, WEB_URL, fc.domain(), fc.ipV4(), fc.ipV6(), fc.emailAddress())
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(listViolations(await createBundle(createEventWithText(text, 2)))).toEqual([])
      }),
    )
  })
})
