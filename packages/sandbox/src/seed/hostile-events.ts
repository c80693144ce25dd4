import type { DnsRecord, EventSeed } from './event-seed.ts'

const MARKUP = '<!channel> <!here> <!everyone> <@U012AB3CD> <#C012AB3CD> <!subteam^S012AB3CD>'
const LINKS = '<http://evil.example|your bank> <mailto:a@evil.example|mail> https://evil.example/?a=1&b=2'
const FORMATTING = '*bold* _italic_ ~struck~ `code` ```block``` > quote :rotating_light: &lt;!channel&gt;'

// Written as escapes, because editors would apply the characters: a right-to-left override shows "gpj.exe" as "exe.jpg".
const BIDI = 'invoice\u202egpj.exe \u2066hidden\u2069 \u200f\u061c'
const CONTROL =
  'bell\u0007 escape\u001b[31mred\u001b[0m back\u0008 null\u0000 line\u2028separator\r\nnew line\ttab'
const INVISIBLE =
  'zero\u200bwidth\u200djoiner soft\u00adhyphen \ufeffmark tag\u{e0041}\u{e0042} e\u0301\u0301\u0301\u0301'

const MANY_STATUSES = Array.from(
  { length: 1_000 },
  (_, index) => `clientStatus${index}Prohibited https://icann.example/epp#${index}`,
)

const MANY_RECORDS: readonly DnsRecord[] = Array.from({ length: 450 }, (_, index) => ({
  country_code: ['NL', 'SE', 'BR', '', 'ZZ'][index % 5] ?? '',
  ip: index % 3 === 0 ? `2001:db8:${index.toString(16)}::1` : `198.51.100.${index % 256}`,
  name: `node-${index}.${'very-long-label-that-goes-on-and-on.'.repeat(index % 6)}fast-flux.test`,
  type: ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'TYPE65534'][index % 6] ?? 'A',
  autonomous_system_info: {
    as_number: String(64_496 + (index % 16)),
    as_organization: `Example Network ${index % 16} <!here>`,
  },
}))

/** Four events with text that an attacker could write: markup, misleading characters, huge WHOIS data, and hundreds of DNS records. */
export const HOSTILE_EVENTS: readonly EventSeed[] = [
  {
    domain: 'markup-<!channel>.test',
    type: 'DOMAIN_REPORTED',
    level: 'HIGH',
    brand: `Example ${MARKUP}`,
    customerId: 1000,
    daysAgo: 3,
    title: `${MARKUP} ${LINKS}`,
    description: `${FORMATTING} ${LINKS}`,
    finalUrl: 'https://evil.example/<!channel>|click?to=<@U012AB3CD>',
    redirections: ['<!here>', 'JAVASCRIPT|x>', '*HTTP_301*'],
    comments: [
      MARKUP,
      LINKS,
      FORMATTING,
      '=HYPERLINK("http://evil.example","Open")',
      '<script>alert(1)</script>',
    ],
    owner: { name: MARKUP, email: 'a@evil.example> <!channel', organisation: `${FORMATTING} ${MARKUP}` },
    registrar: '<http://evil.example|Example Registrar Ltd.>',
    statuses: ['ok <!everyone>', '@channel @here'],
  },
  {
    domain: 'bidi-\u202emoc.knab\u202c.test',
    type: 'DOMAIN_\u202eDETROPER',
    level: 'CRITICAL',
    brand: `Example ${INVISIBLE}`,
    customerId: 2000,
    daysAgo: 4,
    title: BIDI,
    description: CONTROL,
    finalUrl: 'https://ex\u0430mple.test/\u202egpj.exe',
    redirections: ['HTTP_301\u0000', INVISIBLE],
    comments: [
      BIDI,
      CONTROL,
      INVISIBLE,
      '\u0000',
      '\n\n\n\n',
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(200),
    ],
    owner: { name: BIDI, email: 'owner\u202e@tset.elpmaxe', organisation: CONTROL },
    registrar: INVISIBLE,
  },
  {
    domain: 'huge-whois.test',
    type: 'DOMAIN_REGISTERED',
    level: 'MEDIUM',
    brand: 'Example Shops',
    customerId: 1100,
    daysAgo: 6,
    title: 'W'.repeat(5_000),
    description: 'A page description that does not end. '.repeat(500),
    comments: ['The WHOIS record is larger than anything that a card can hold.'],
    owner: {
      name: 'Holder of many names, '.repeat(4_000),
      email: `${'a'.repeat(2_000)}@huge-whois.test`,
      organisation: 'Organisation & Sons <limited> '.repeat(6_000),
    },
    registrar: 'R'.repeat(20_000),
    statuses: MANY_STATUSES,
  },
  {
    domain: 'fast-flux.test',
    type: 'DNS_CHANGED',
    level: 'HIGH',
    brand: 'Example Media',
    customerId: 1200,
    daysAgo: 7,
    title: 'Fast flux',
    description: 'Answers from another address every minute.',
    comments: ['450 records were seen in a day.'],
    records: MANY_RECORDS,
  },
]
