import { ORIGIN_PLACEHOLDER, type ThreatEventStore } from '../threat-event-store.ts'
import type { DnsRecord, EventSeed } from './event-seed.ts'
import { HOSTILE_EVENTS } from './hostile-events.ts'

const EVENT_SEEDS: readonly EventSeed[] = [
  {
    domain: 'example-shops-login.test',
    type: 'DOMAIN_REPORTED',
    level: 'HIGH',
    brand: 'Example Shops',
    customerId: 1100,
    daysAgo: 1,
    title: 'Example Shops – Sign in',
    description: 'Sign in to follow your order.',
    finalUrl: 'https://example-shops-login.test/account/verify?step=1',
    redirections: ['HTTP_301', 'JAVASCRIPT'],
    comments: [
      'Reported by a customer who received a text message.',
      'The form posts to /collect.php on the same host.',
    ],
  },
  {
    domain: 'examp1e-bank.test',
    type: 'DOMAIN_REGISTERED',
    level: 'CRITICAL',
    brand: 'Example Bank',
    customerId: 2000,
    daysAgo: 2,
    title: 'Example Bank | Confirm your card',
    description: 'Your card is about to be blocked. Confirm it now.',
    redirections: ['HTTP_302'],
    comments: [
      'Digit one instead of the letter l. The certificate was issued an hour after the registration.',
    ],
  },
  {
    domain: 'outlet-example-sale.test',
    type: 'DOMAIN_REPORTED',
    level: 'MEDIUM',
    brand: 'Example Outlet',
    customerId: 1110,
    daysAgo: 5,
    title: 'Outlet – everything 90 % off',
    description: 'Last day. Pay by transfer only.',
    comments: [],
  },
  {
    domain: 'media-example-player.test',
    type: 'WEBSITE_CHANGED',
    level: 'LOW',
    brand: 'Example Media',
    customerId: 1200,
    daysAgo: 9,
    title: 'Parked domain',
    description: 'This domain may be for sale.',
    comments: ['Parked since the last check. Still monitored, because it used to host a copy of the player.'],
  },
  {
    domain: 'xn--exmple-cua.test',
    type: 'DOMAIN_REGISTERED',
    level: 'HIGH',
    brand: 'Example Group',
    customerId: 1000,
    daysAgo: 12,
    title: 'Exämple Group',
    description: 'Look-alike with an internationalized name and a copy of the home page.',
    redirections: ['HTTP_301', 'HTTP_301', 'META_REFRESH'],
    comments: ['Takedown requested.', 'The registrar asked for proof of the trademark.', 'Proof sent.'],
  },
  {
    domain: 'careers-example-group.test',
    type: 'MAIL_SERVER_ACTIVATED',
    level: 'MEDIUM',
    brand: 'Example Group',
    customerId: 1000,
    daysAgo: 20,
    title: '',
    description: '',
    comments: ['No website, but mail records were added: likely to be used for fake job offers.'],
  },
  ...HOSTILE_EVENTS,
]

const DAY_MS = 86_400_000

/** The ID of the nth event above, starting at 1: `7e57ed00-0000-4000-8000-000000000001` to `…010`. The last four are hostile. */
export const threatEventId = (number: number): string =>
  `7e57ed00-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Adds all ten threat events to production, or three of them to OTE: 1, 2, and 7 (hostile). */
export function seedThreatEvents(events: ThreatEventStore, environment: string, now: Date): void {
  EVENT_SEEDS.forEach((seed, index) => {
    const number = index + 1
    if (environment === 'ote' && ![1, 2, 7].includes(number)) return
    const id = threatEventId(number)
    events.put(id, Buffer.from(JSON.stringify(createEvent(seed, id, number, now))), true)
  })
}

function createEvent(seed: EventSeed, id: string, number: number, now: Date): object {
  const daysAgoIso = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString()
  const { domain, level, daysAgo } = seed
  const origin = `http://${domain}/`
  return {
    id,
    date: daysAgoIso(daysAgo),
    type: seed.type,
    brand: {
      id: 300 + number,
      name: seed.brand,
      monitored_since: '2021-03-01T00:00:00.000Z',
      grouping_key: seed.brand.toLowerCase().replaceAll(' ', '-'),
    },
    domain,
    criticality: { level, name: level.charAt(0) + level.slice(1).toLowerCase() },
    comments: seed.comments.map((content, index) => ({
      content,
      date: daysAgoIso(daysAgo - (index + 1) / 8),
    })),
    customer_id: seed.customerId,
    observed_data: {
      dns_records: seed.records ?? createDefaultRecords(domain, number),
      whois: formatWhois(seed, daysAgoIso),
      website: {
        page_title: seed.title,
        page_description: seed.description,
        origin_url: origin,
        final_url: seed.finalUrl ?? origin,
        redirection_types: seed.redirections ?? [],
        screenshot_resource_url: `${ORIGIN_PLACEHOLDER}/cti/v2/resources/${id}/screenshot.png`,
        source_resource_url: `${ORIGIN_PLACEHOLDER}/cti/v2/resources/${id}/source`,
      },
    },
  }
}

function formatWhois(
  { domain, daysAgo, owner, registrar, statuses }: EventSeed,
  daysAgoIso: (days: number) => string,
): object {
  return {
    owner_name: owner?.name ?? 'Redacted for privacy',
    owner_email: owner?.email ?? `owner-contact@${domain}`,
    owner_organisation: owner?.organisation ?? 'Privacy Service Example',
    registrar_name: registrar ?? 'Example Registrar Ltd.',
    statuses: statuses ?? ['clientTransferProhibited', 'addPeriod'],
    creation_date: daysAgoIso(daysAgo + 3),
    updated_date: daysAgoIso(daysAgo),
    expiration_date: daysAgoIso(daysAgo + 3 - 365),
    resource_url: `https://rdap.example.com/domain/${encodeURIComponent(domain.slice(0, 253))}`,
  }
}

/** All addresses and AS numbers in the records are reserved for documentation (RFC 5737, 3849, 5398). */
function createRecord(
  type: string,
  name: string,
  ip: string,
  networkNumber: number,
  country = 'NL',
): DnsRecord {
  return {
    country_code: country,
    ip,
    name,
    type,
    autonomous_system_info: {
      as_number: String(64_496 + (networkNumber % 16)),
      as_organization: `Example Hosting ${networkNumber % 16}`,
    },
  }
}

function createDefaultRecords(domain: string, number: number): DnsRecord[] {
  return [
    createRecord('A', domain, `203.0.113.${number}`, number),
    createRecord('AAAA', domain, `2001:db8::${number}`, number),
    createRecord('CNAME', `www.${domain}`, `203.0.113.${number}`, number),
    createRecord('MX', `mail.${domain}`, `198.51.100.${number}`, number + 1, 'SE'),
  ]
}
