import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { indicatorsOf } from '../../../../src/features/threats/indicators/indicators.ts'
import { mispOf } from '../../../../src/features/threats/indicators/misp.ts'
import { stixOf } from '../../../../src/features/threats/indicators/stix.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { eventOf, everywhere } from '../events.ts'
import { CORPUS } from '../hostile.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const NOW = '2026-11-20T12:00:00.000Z'
const FRAME = { id: ID, modified: { indicator: NOW, 'observed-data': NOW }, isPersonal: false }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** As the core format has them (https://www.misp-standard.org/rfc/misp-standard-core.html, read November 2026). */
interface Misp {
  Event: Record<string, unknown> & {
    Attribute: (Record<string, unknown> & { type: string; value: string; category: string })[]
  }
}

const all = (type: 'string' | 'boolean', names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, { type }]))

const objectOf = (properties: object) => ({ type: 'object', properties, additionalProperties: false })
const listOf = (items: object) => ({ type: 'array', uniqueItems: true, items })

const TAG = objectOf({
  ...all('string', 'id name colour'),
  ...all('boolean', 'exportable hide_tag'),
})
const ATTRIBUTE = objectOf({
  ...all(
    'string',
    'id type category uuid event_id distribution timestamp comment sharing_group_id value data',
  ),
  ...all('boolean', 'to_ids deleted disable_correlation'),
  Tag: listOf(TAG),
})

/**
 * The members of an event that MISP is given, and their types, as the schema names them that it publishes for that
 * (https://github.com/MISP/MISP/blob/2.4/format/2.4/schema-lax.json, read November 2026); here no others may stand beside them.
 */
const isOfMisp = new Ajv2020({ allErrors: true }).compile({
  ...objectOf({
    Event: objectOf({
      ...all('string', 'id orgc_id org_id date threat_level_id info uuid attribute_count analysis timestamp'),
      ...all('string', 'distribution publish_timestamp sharing_group_id event_creator_email'),
      ...all('boolean', 'published proposal_email_lock locked disable_correlation'),
      Attribute: listOf(ATTRIBUTE),
      Tag: listOf(TAG),
    }),
  }),
  required: ['Event'],
})

function mispOfEvent(given: object): Misp {
  const event = threatEventOf({ ...given })
  // As it is read from the file.
  return JSON.parse(JSON.stringify(mispOf(event, indicatorsOf(event), FRAME))) as Misp
}

/** What of it breaks the core format: required members, their types, and the categories that a type may have. */
function faultsOf(misp: Misp): string[] {
  const { Event: event } = misp
  const categories: Readonly<Record<string, string>> = {
    domain: 'Network activity',
    url: 'Network activity',
    'ip-dst': 'Network activity',
    AS: 'Network activity',
    'whois-registrant-email': 'Attribution',
    other: 'Internal reference',
  }
  const isOdd = (value: unknown, form: RegExp) => typeof value !== 'string' || !form.test(value)
  const attributes = event.Attribute.filter(
    (one) =>
      isOdd(one.uuid, UUID) ||
      isOdd(one.timestamp, /^\d+$/) ||
      isOdd(one.value, /\S/) ||
      isOdd(one.distribution, /^[0-5]$/) ||
      typeof one.to_ids !== 'boolean' ||
      categories[one.type] !== one.category,
  )
  const own = {
    uuid: UUID,
    info: /\S/,
    date: /^\d{4}-\d\d-\d\d$/,
    threat_level_id: /^[1-4]$/,
    analysis: /^[0-2]$/,
    distribution: /^[0-4]$/,
    timestamp: /^\d+$/,
  }
  return [
    ...(isOfMisp(misp) ? [] : [JSON.stringify(isOfMisp.errors)]),
    ...Object.entries(own).flatMap(([name, form]) => (isOdd(event[name], form) ? [name] : [])),
    ...attributes.map((one) => JSON.stringify(one)),
    ...(new Set(event.Attribute.map(({ uuid }) => uuid)).size === event.Attribute.length
      ? []
      : ['a uuid twice']),
  ]
}

describe('indicators as an event of MISP', () => {
  it('hold every value, and detect by what the event is about alone', () => {
    const misp = mispOfEvent(eventOf('exa.mple'))
    expect(faultsOf(misp)).toEqual([])
    const { info, threat_level_id, date, Tag, Attribute } = misp.Event
    expect({ info, threat_level_id, date, Tag }).toEqual({
      info: 'exa.mple · imitates Example Shops · DOMAIN_REPORTED',
      threat_level_id: '1',
      date: '2026-11-18',
      Tag: [{ name: 'tlp:amber' }],
    })
    expect(Attribute.map(({ type, value, to_ids }) => `${type} ${value}${to_ids ? ' !' : ''}`)).toEqual([
      'domain exa.mple !',
      'url http://exa.mple/ !',
      'url https://exa.mple/login !',
      'ip-dst 192.0.2.1',
      'AS AS64500',
      'ip-dst 2001:db8::1',
      'AS AS64501',
      'whois-registrant-email owner@exa.mple',
      `other ${ID}`,
    ])
  })

  it.each(['https://bit.ly/abc', 'http://exa.mple/', 'http://192.0.2.1/'])(
    'are those that the STIX bundle accuses, reported at %s',
    (originUrl) => {
      const given = eventOf('exa.mple')
      given.observed_data.website.origin_url = originUrl
      const event = threatEventOf({ ...given })
      const detected = mispOfEvent(given).Event.Attribute.filter(({ to_ids }) => to_ids)
      const { objects } = stixOf(event, indicatorsOf(event), FRAME)
      const accused = objects.filter(({ type }) => type === 'indicator').map(({ pattern }) => String(pattern))
      expect(accused.length).toBeGreaterThan(0)
      expect(detected.map(({ value }) => value)).toEqual(
        accused.map((pattern) => /'(.*)'/.exec(pattern)?.[1]),
      )
    },
  )

  it('are valid whatever the event holds', () => {
    expect(CORPUS.flatMap((text) => faultsOf(mispOfEvent(everywhere(text, 2)))).slice(0, 10)).toEqual([])
    expect(faultsOf(mispOfEvent({}))).toEqual([])
  })
})
