import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indicatorsOf } from '../../../../src/features/threats/indicators/indicators.ts'
import { stixOf } from '../../../../src/features/threats/indicators/stix.ts'
import { uuidOf } from '../../../../src/features/threats/indicators/uuid.ts'
import { threatEventOf } from '../../../api/reading.ts'
import { eventOf, everywhere } from '../events.ts'
import { CORPUS } from '../hostile.ts'
import { faultsOf } from './stix-rules.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = new Date('2026-11-20T12:00:00Z')

function bundleOf(given: object, now = NOW) {
  const event = threatEventOf({ ...given })
  // As it is read from the file.
  return JSON.parse(JSON.stringify(stixOf(ID, event, indicatorsOf(event), now)))
}

const typesOf = (bundle: { objects: { type: string }[] }) => bundle.objects.map(({ type }) => type)

describe('a version 5 UUID', () => {
  it('is the one of the standard', () => {
    // RFC 9562, appendix A.4.
    expect(uuidOf('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    )
  })
})

describe('the rules', () => {
  it('are broken by whatever is missing, of another kind, or too much', () => {
    const bundle = bundleOf(eventOf('exa.mple'))
    const optional = ['name', 'description', 'external_references']
    bundle.objects.forEach((object: Record<string, unknown>, index: number) => {
      const broken = (change: object) =>
        faultsOf({ ...bundle, objects: bundle.objects.with(index, { ...object, ...change }) })
      for (const name of Object.keys(object).filter((one) => !optional.includes(one)))
        expect(broken({ [name]: undefined }), `${object.type} without ${name}`).not.toEqual([])
      expect(broken({ id: `${object.type}--1` })).not.toEqual([])
      expect(broken({ extra: 1 })).not.toEqual([])
    })
  })
})

describe('indicators as a STIX bundle', () => {
  it('hold every kind, and what leads to what', () => {
    const bundle = bundleOf(eventOf('exa.mple'))
    expect(faultsOf(bundle)).toEqual([])
    expect(typesOf(bundle)).toEqual([
      'indicator',
      'observed-data',
      'domain-name',
      'url',
      'url',
      'ipv4-addr',
      'autonomous-system',
      'ipv6-addr',
      'autonomous-system',
      'email-addr',
      'relationship',
      'relationship',
      'relationship',
      'relationship',
      'relationship',
    ])
    const byId = new Map(bundle.objects.map((object: { id: string }) => [object.id, object]))
    const named = (id: string) => {
      const object = byId.get(id) as { type: string; value?: string; number?: number }
      return `${object.type} ${object.value ?? object.number ?? ''}`.trim()
    }
    const links = bundle.objects
      .filter(({ type }: { type: string }) => type === 'relationship')
      .map((link: { source_ref: string; relationship_type: string; target_ref: string }) =>
        [named(link.source_ref), link.relationship_type, named(link.target_ref)].join(' '),
      )
    expect(links).toEqual([
      'indicator based-on observed-data',
      'domain-name exa.mple resolves-to ipv4-addr 192.0.2.1',
      'ipv4-addr 192.0.2.1 belongs-to autonomous-system 64500',
      'domain-name exa.mple resolves-to ipv6-addr 2001:db8::1',
      'ipv6-addr 2001:db8::1 belongs-to autonomous-system 64501',
    ])
    expect(bundle.objects[0].pattern).toBe(
      "[domain-name:value = 'exa.mple'] OR [url:value = 'http://exa.mple/'] OR [url:value = 'https://exa.mple/login']",
    )
  })

  it('give the same thing the same id, here and in other tools', () => {
    const first = bundleOf(eventOf('exa.mple'))
    expect(bundleOf(eventOf('exa.mple'), new Date('2027-01-01T00:00:00Z'))).toEqual(first)
    // As other implementations give them, over the canonical JSON of `value`.
    const known = { domain: 'example.com', observed_data: { dns_records: [{ ip: '198.51.100.3' }] } }
    const text = JSON.stringify(bundleOf(known))
    expect(text).toContain('ipv4-addr--28bb3599-77cd-5a82-a950-b5bc3caf07c4')
    expect(text).toContain('domain-name--bedb4899-d24b-5401-bc86-8f6b4cc18ec7')
  })

  it("accuse nobody but the event's own domain", () => {
    const event = eventOf('exa.mple')
    event.observed_data.website.final_url = 'https://shop.example.com/'
    const bundle = bundleOf(event)
    expect(bundle.objects[0].pattern).not.toContain('shop.example.com')
    expect(JSON.stringify(bundle)).toContain('https://shop.example.com/')
  })

  it('keep quotes within the pattern', () => {
    const { objects } = bundleOf({ observed_data: { website: { origin_url: "https://exa.mple/it's" } } })
    expect(objects[0].pattern).toBe("[url:value = 'https://exa.mple/it\\'s']")
  })

  it.each([
    { what: 'nothing', event: {} },
    { what: 'a date too far away', event: { domain: 'exa.mple', date: '0001-01-01T00:00:00Z' } },
    { what: 'an address in place of a domain', event: { domain: '2001:db8::1' } },
    {
      what: '5,000 records',
      event: {
        domain: 'exa.mple',
        observed_data: {
          dns_records: Array.from({ length: 5000 }, (_, index) => ({
            name: `n${index}.exa.mple`,
            ip: `192.0.${index % 256}.${index >> 8}`,
            autonomous_system_info: { as_number: String(index % 50) },
          })),
        },
      },
    },
  ])('are valid with $what', ({ event }) => {
    expect(faultsOf(bundleOf(event))).toEqual([])
  })

  it('are valid whatever the event holds', () => {
    for (const text of CORPUS) expect(faultsOf(bundleOf(everywhere(text, 2)))).toEqual([])
    const text = fc.oneof(
      fc.constantFrom(...CORPUS),
      fc.webUrl(),
      fc.domain(),
      fc.ipV4(),
      fc.ipV6(),
      fc.emailAddress(),
    )
    fc.assert(
      fc.property(text, (given) => {
        expect(faultsOf(bundleOf(everywhere(given, 2)))).toEqual([])
      }),
    )
  })
})
