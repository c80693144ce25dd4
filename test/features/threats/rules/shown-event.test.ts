import { describe, expect, it } from 'vitest'
import { factsOnly } from '../../../../src/features/threats/rules/shown-event.ts'
import { readEvent } from '../../../service/reading.ts'
import { createThreatEvent } from '../events.ts'

describe('the facts of an event, for guests and channels', () => {
  const showFacts = async (rawEvent: object) => (await factsOnly(readEvent({ ...rawEvent }))).event

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

  it.each([
    { sent: 'https://exa.mple/', shown: 'https://exa.mple/' },
    { sent: 'https://exa.mple/?for=jane', shown: 'https://exa.mple/…' },
    { sent: 'https://exa.mple/#jane', shown: 'https://exa.mple/…' },
    { sent: 'ftp://exa.mple/jane', shown: undefined },
  ])('have $shown in place of the URL $sent, and only its host as a domain', async ({ sent, shown }) => {
    const rawEvent = createThreatEvent(sent)
    rawEvent.observed_data.website.final_url = sent
    const { domain, observedData } = await showFacts(rawEvent)
    expect([domain, observedData?.website?.finalUrl]).toEqual(['exa.mple', shown])
  })

  it('omit an ID that isn’t one', async () => {
    const raw = createThreatEvent('exa.mple')
    expect((await showFacts(raw)).id).toBe(raw.id)
    for (const id of ['Jane Roe', 'jane@mail.test', `${raw.id} Jane`, ['Jane'], 7])
      expect((await showFacts({ ...raw, id })).id).toBeUndefined()
  })

  it('omit names, places, and statuses that don’t have their form, and lists or objects as a text', async () => {
    const record = { name: 'Jane Roe', ip: 'Jane', type: 'of Jane', country_code: 'Jane' }
    const asText = '{"owner":"Jane"}'
    const event = await showFacts({
      ...{ ...createThreatEvent('exa.mple'), type: asText, brand: { name: '["Jane"]' } },
      observed_data: {
        dns_records: [record, { autonomous_system_info: { as_number: 'Jane', as_organization: asText } }],
        whois: { registrar_name: asText, statuses: ['ok', 'Jane Roe'] },
      },
    })
    expect(JSON.stringify(event)).not.toContain('Jane')
    expect(event.observedData?.whois?.statuses).toEqual(['ok'])
  })

  it('count no parts that can’t be read, which may name people', async () => {
    const raw = { ...createThreatEvent('exa.mple'), date: 'Jane Roe' }
    expect(readEvent(raw).unreadableCount).toBeGreaterThan(0)
    expect((await showFacts(raw)).unreadableCount).toBe(0)
  })
})
