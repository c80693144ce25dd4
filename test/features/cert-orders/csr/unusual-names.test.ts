import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { listOrderEntries } from '../../../../src/features/cert-orders/views/entries.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  type SubjectPart,
} from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

const CN = '2.5.4.3'
const O = '2.5.4.10'
const UPN = '1.3.6.1.4.1.311.20.2.3'
const PLAIN_SUBJECT = buildSubject([CN, 'shop.bank.com'])
const PLAIN_NAME = host('shop.bank.com')

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const address = (...bytes: number[]): Buffer => der(0x87, Buffer.from(bytes))
const address6 = (hex: string): Buffer => der(0x87, Buffer.from(hex.padStart(32, '0'), 'hex'))
const utf8Name = (text: string): Buffer => der(0xa0, oid(UPN), der(0xa0, der(0x0c, text)))
const directory = (...parts: readonly SubjectPart[]): Buffer => der(0xa4, buildSubject(...parts))

interface NameCase {
  description: string
  names?: readonly Buffer[]
  subject?: Buffer
  extensions?: readonly Buffer[]
  warning: string
}

const nameCase = (description: string, name: Buffer, warning: string): NameCase => ({
  description,
  names: [name],
  warning,
})
const hostCases = (warning: string, ...names: string[]): NameCase[] =>
  names.map((name) => nameCase(JSON.stringify(name), host(name), warning))
const addressCases = (warning: string, names: Readonly<Record<string, Buffer>>): NameCase[] =>
  Object.entries(names).map(([description, name]) => nameCase(`the address ${description}`, name, warning))
const subjectCases = (warning: string, subjects: Readonly<Record<string, Buffer>>): NameCase[] =>
  Object.entries(subjects).map(([description, subject]) => ({
    description: `a subject with ${description}`,
    subject,
    warning,
  }))

const PRIVATE = 'a private or local address'
const AS_HOST = 'an IP address written as a host name'
const SCRIPTS = 'letters of several scripts in one word'
const NUL = 'contains a NUL'
const INVISIBLE = 'invisible characters, or characters that reverse'
const AUTHORITY = 'certificate authority'

/** Names that an attacker might request, with the warning that an approver sees. */
const CASES: readonly NameCase[] = [
  ...hostCases(
    'a wildcard over a whole registered domain',
    '*.bank.com',
    '*.bank.co.uk',
    '*.BANK.com',
    '*.xn--mller-kva.de',
  ),
  ...hostCases('a wildcard for every name directly below it', '*.shop.bank.com', '*.a.b.c.bank.com'),
  ...hostCases('a wildcard over everything', '*', '*.', '*.*'),
  ...hostCases('a wildcard over all of', '*.com', '*.bank'),
  ...hostCases('a wildcard over a public suffix', '*.co.uk', '*.github.io', '*.s3.amazonaws.com'),
  ...hostCases(
    'a wildcard that isn’t the first label',
    'w*.bank.com',
    '*w.bank.com',
    'a.*.bank.com',
    '*.*.bank.com',
    '**.bank.com',
  ),
  ...hostCases('a public suffix, where anyone', 'co.uk', 'github.io'),
  ...hostCases(
    'a local name',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'mail',
    'db.corp',
    'nas.local',
    'a.home.arpa',
    'x.onion',
    'localhost.localdomain',
  ),
  ...hostCases('an empty label', 'a..bank.com', '.bank.com'),
  ...hostCases('a label that begins or ends with a hyphen', '-a.bank.com', 'a-.bank.com'),
  ...hostCases('a reverse DNS name', '1.0.0.127.in-addr.arpa'),
  ...hostCases('a DNS service whose names can resolve to any address', '10.0.0.1.nip.io', 'a.lvh.me'),
  ...hostCases(AS_HOST, '192.0.2.1', '2001:db8::1', '[2001:db8::1]'),
  ...hostCases(
    PRIVATE,
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '10.0.0.1',
    '[::1]',
    '::ffff:10.0.0.1',
    '169.254.169.254',
    '*.192.168.1.1',
    '192.168.1.0/24',
    '127.0.0.1:8443',
  ),
  ...addressCases(PRIVATE, {
    '10.1.2.3': address(10, 1, 2, 3),
    '127.0.0.1': address(127, 0, 0, 1),
    '127.8.8.8': address(127, 8, 8, 8),
    '0.0.0.0': address(0, 0, 0, 0),
    '100.64.0.1': address(100, 64, 0, 1),
    '172.16.0.1': address(172, 16, 0, 1),
    '192.168.1.1': address(192, 168, 1, 1),
    '169.254.169.254': address(169, 254, 169, 254),
    '198.18.0.1': address(198, 18, 0, 1),
    '224.0.0.1': address(224, 0, 0, 1),
    '::1': address6('1'),
    '::': address6('0'),
    '::ffff:10.0.0.1': address6('ffff0a000001'),
    '::ffff:127.0.0.1': address6('ffff7f000001'),
    '::127.0.0.1': address6('7f000001'),
    '::ffff:0:10.0.0.1': address6('ffff00000a000001'),
    '64:ff9b::10.0.0.1': address6('0064ff9b00000000000000000a000001'),
    '2002:a00:1::': address6('20020a00000100000000000000000000'),
    '2001::1': address6('20010000000000000000000000000001'),
    'fe80::1': address6('fe800000000000000000000000000001'),
    'fec0::1': address6('fec00000000000000000000000000001'),
    'fd00::1': address6('fd000000000000000000000000000001'),
    'ff02::1': address6('ff020000000000000000000000000001'),
  }),
  ...addressCases('not an address: it has the wrong length', {
    'with its mask': address(10, 0, 0, 0, 255, 0, 0, 0),
    'of no bytes': address(),
  }),
  nameCase('a NUL in a host', host('bank.com\0.evil.com'), NUL),
  nameCase('a NUL in an email address', der(0x81, 'a@bank.com\0.evil.com'), NUL),
  nameCase('a NUL in a URL', der(0x86, 'https://bank.com\0.evil.com'), NUL),
  ...subjectCases(NUL, {
    'a NUL in its common name': buildSubject([CN, 'bank.com\0.evil.com']),
    'a NUL in its organization': buildSubject([CN, 'shop.bank.com'], [O, 'Bank\0 Ltd']),
    'a two-byte NUL': buildSubject([CN, utf16('bank.com\0.evil.com'), 0x1e]),
    'a NUL in an IA5String': buildSubject([CN, 'bank.com\0.evil.com', 0x16]),
  }),
  nameCase('the local machine in a URL', der(0x86, 'http://127.1:8080/x'), PRIVATE),
  nameCase('a private network in a URL', der(0x86, 'https://[fd00::1]/'), PRIVATE),
  nameCase('a local name in a URL', der(0x86, 'http://localhost/'), 'a local name'),
  nameCase('a local name in an email address', der(0x81, 'root@localhost'), 'a local name'),
  nameCase('a host of only Cyrillic letters', host('\u0441\u043e\u0441\u043e.com'), 'look like coco.com'),
  nameCase('a host of only Cyrillic letters in punycode', host('xn--n1aahb.com'), 'look like coco.com'),
  nameCase('Cyrillic within a host in UTF-8', host('b\u0430nk.com'), SCRIPTS),
  nameCase('Cyrillic within a host in punycode', host('xn--bnk-5cd.com'), SCRIPTS),
  nameCase('Cyrillic in the name of a user', utf8Name('\u0430dmin@bank'), SCRIPTS),
  nameCase('a NUL in the name of a user', utf8Name('a@bank\0.evil'), NUL),
  nameCase('Greek in a directory name', directory([O, 'B\u03b1nk']), SCRIPTS),
  nameCase('a NUL in a directory name', directory([CN, 'a\0b.com']), NUL),
  ...subjectCases(SCRIPTS, {
    'Cyrillic in its common name': buildSubject([CN, 'b\u0430nk.com']),
    'Greek in its common name': buildSubject([CN, 'bank.c\u03bfm']),
    'Armenian in its common name': buildSubject([CN, '\u0570ank.com']),
    'Cyrillic in its organization': buildSubject([CN, 'shop.bank.com'], [O, 'B\u0430nk Ltd']),
    'Cyrillic in a BMPString': buildSubject([CN, utf16('b\u0430nk.com'), 0x1e]),
  }),
  ...subjectCases(INVISIBLE, {
    'a right-to-left override': buildSubject([CN, 'moc.\u202eknab.com']),
    'a zero-width space': buildSubject([CN, 'ba\u200bnk.com']),
    'a soft hyphen in its organization': buildSubject([CN, 'shop.bank.com'], [O, 'Ba\u00adnk']),
    'a Hangul filler': buildSubject([CN, 'bank\u3164.com']),
    'a line end': buildSubject([CN, 'bank.com\nO=Bank']),
  }),
  ...subjectCases('characters that look like others', {
    'full-width letters': buildSubject([CN, '\uff42ank.com']),
    'mathematical letters': buildSubject([CN, '\u{1d41b}ank.com']),
  }),
  ...subjectCases('a wildcard over everything', { 'the name *': buildSubject([CN, '*']) }),
  ...subjectCases('a wildcard over a whole registered domain', {
    'a wildcard': buildSubject([CN, '*.bank.com']),
  }),
  ...subjectCases('a wildcard over all of .com', { 'a wildcard over .com': buildSubject([CN, '*.com']) }),
  ...subjectCases(PRIVATE, {
    'a private address': buildSubject([CN, '10.0.0.1']),
    'a loopback address': buildSubject([CN, '[::1]']),
    'an address as a decimal number': buildSubject([CN, '2130706433']),
    'an address as a hexadecimal number': buildSubject([CN, '0x7f000001']),
  }),
  ...subjectCases('a local name', { localhost: buildSubject([CN, 'localhost']) }),
  {
    description: 'an authority',
    extensions: [extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff]))))],
    warning: AUTHORITY,
  },
  {
    description: 'an authority with a byte after it',
    extensions: [
      extension('2.5.29.19', Buffer.concat([sequence(der(0x01, Buffer.from([0xff]))), Buffer.from([0])])),
    ],
    warning: AUTHORITY,
  },
  {
    description: 'an authority after an empty value',
    extensions: [
      extension('2.5.29.19', Buffer.concat([sequence(), sequence(der(0x01, Buffer.from([0xff])))])),
    ],
    warning: AUTHORITY,
  },
  {
    description: 'an authority with a third part',
    extensions: [
      extension(
        '2.5.29.19',
        sequence(der(0x01, Buffer.from([0xff])), der(0x02, Buffer.from([0])), der(0x05)),
      ),
    ],
    warning: AUTHORITY,
  },
  {
    description: 'an authority whose flag has two bytes',
    extensions: [extension('2.5.29.19', sequence(der(0x01, Buffer.from([0, 0xff]))))],
    warning: AUTHORITY,
  },
]

describe('the approver’s view of unusual names', () => {
  it.each(CASES)(
    'explains $description: $warning',
    ({ names = [PLAIN_NAME], subject = PLAIN_SUBJECT, extensions = [], warning }) => {
      const result = readCsr(
        buildRequest({ subject, extensions: [alternativeNames(...names), ...extensions] }).toString('base64'),
      )
      if ('problem' in result) return expect(result.problem).toContain(warning)
      const { csr } = result
      const request = { action: 'create', csr: '', duration: '1 year' }
      const order = { content: { csr, request, names: {}, expiresAt: '' } }
      if ([SCRIPTS, INVISIBLE, AUTHORITY].includes(warning))
        expect(listOrderEntries(order)[0]?.values.join('\n')).toContain(warning)
      expect(csr.warnings).not.toEqual([])
    },
  )

  it('is tested with at least 75 cases', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(75)
  })

  it.each([
    { description: 'a plain host', names: [PLAIN_NAME] },
    {
      description: 'an international name in a single script',
      names: [PLAIN_NAME],
      subject: buildSubject([CN, 'shop.bank.com'], [O, 'Société Générale Банк']),
    },
    {
      description: 'Japanese next to Latin',
      names: [PLAIN_NAME],
      subject: buildSubject([CN, 'shop.bank.com'], [O, 'バンクBank株式会社']),
    },
    { description: 'a person', names: [PLAIN_NAME], subject: buildSubject([CN, 'Jane Roe'], [O, 'Bank']) },
  ])('doesn’t warn about the letters of $description', ({ names, subject = PLAIN_SUBJECT }) => {
    const result = readCsr(
      buildRequest({ subject, extensions: [alternativeNames(...names)] }).toString('base64'),
    )
    const isUnlisted = (warning: string): boolean => warning.startsWith('Its common name (')
    expect('csr' in result && result.csr.warnings.filter((warning) => !isUnlisted(warning))).toEqual([])
  })
})
