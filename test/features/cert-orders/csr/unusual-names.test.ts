import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  requestExtensions,
  type SubjectPart,
} from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

const CN = '2.5.4.3'
const O = '2.5.4.10'
const UPN = '1.3.6.1.4.1.311.20.2.3'
const PLAIN: SubjectPart = [CN, 'shop.bank.com']

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const user = (text: string): Buffer => der(0xa0, oid(UPN), der(0xa0, der(0x0c, text)))
const directory = (...parts: readonly SubjectPart[]): Buffer => der(0xa4, buildSubject(...parts))
const authority = (...value: readonly Buffer[]): Buffer => extension('2.5.29.19', Buffer.concat([...value]))
const TRUE = der(0x01, Buffer.from([0xff]))

/** What an attacker might request, by the warning that an approver sees: names, subjects, and extensions. */
const CASES: Readonly<
  Record<string, { names?: Buffer[]; subjects?: SubjectPart[][]; extensions?: Buffer[] }>
> = {
  'isn’t among its alternative names': {
    subjects: [
      [[CN, 'b\u0430nk.com']],
      [[CN, utf16('b\u0430nk.com'), 0x1e]],
      [[CN, 'moc.\u202eknab.com']],
      [[CN, 'ba\u200bnk.com']],
      [[CN, 'bank.com\nO=Bank']],
      [[CN, '\uff42ank.com']],
      [PLAIN, [CN, 'evil.example.net']],
    ],
  },
  'Its O has hidden characters or unusual spaces: ⟨U+202E⟩.': { subjects: [[PLAIN, [O, 'Knab\u202eBank']]] },
  'Its OU has hidden characters or unusual spaces: ⟨U+200B⟩, ⟨U+00A0⟩.': {
    subjects: [[PLAIN, [O, 'Bank'], ['2.5.4.11', 'Ba\u200bnk\u00a0IT\u200b']]],
  },
  'hidden characters or unusual spaces: ⟨U+200D⟩.': {
    subjects: ['Ba\u200dnk', '\u0645\u06cc\u200d', '\u200d\u0645', 'e\u0301\u200dx'].map((text) => [
      PLAIN,
      [O, text],
    ]),
  },
  'Its L has hidden characters or unusual spaces: ␠.': { subjects: [[PLAIN, ['2.5.4.7', 'Bern ']]] },
  'not a host name': {
    names: [user('\u0430dmin@bank'), directory([O, 'B\u03b1nk']), host('b\u0430nk.com')],
  },
  'contains a NUL': {
    names: [
      host('bank.com\0.evil.com'),
      der(0x81, 'a@bank.com\0.evil.com'),
      der(0x86, 'https://bank.com\0.evil.com'),
      user('a@bank\0.evil'),
      directory([CN, 'a\0b.com']),
    ],
    subjects: [[[CN, 'bank.com\0.evil.com']], [PLAIN, [O, 'Bank\0 Ltd']]],
  },
  'browsers may show \u0441\u043e\u0441\u043e.com': { names: [host('xn--n1aahb.com')] },
  'not a host name that public authorities issue': {
    names: ['[::1]', '10.0.0.0/8', '127.0.0.1:8443', '*w.bank.com', '**.bank.com', '*.'].map(host),
  },
  'certificate authority': {
    extensions: [
      authority(sequence(TRUE)),
      authority(sequence(TRUE), Buffer.from([0])),
      authority(sequence(der(0x01, Buffer.from([0, 0xff])))),
    ],
  },
  'more than one list of alternative names': { extensions: [alternativeNames(host('www.bank.com'))] },
  'only certificate authorities have a path length': {
    extensions: [authority(sequence(der(0x02, Buffer.from([0]))))],
  },
}

function readWarnings(subject: SubjectPart[], name = host('shop.bank.com'), ...others: Buffer[]): string {
  const parts = { subject: buildSubject(...subject), extensions: [alternativeNames(name), ...others] }
  const result = readCsr(buildRequest(parts).toString('base64'))
  return 'problem' in result ? result.problem : result.csr.warnings.join('\n')
}

it.each(Object.entries(CASES))('warns of %s', (warning, { names = [], subjects = [], extensions = [] }) => {
  for (const name of names) expect(readWarnings([PLAIN], name), String(name)).toContain(warning)
  for (const subject of subjects) expect(readWarnings(subject), JSON.stringify(subject)).toContain(warning)
  for (const added of extensions)
    expect(readWarnings([PLAIN], undefined, added), added.toString('hex')).toContain(warning)
})

it('warns of extensions in more than one place, of which other software may read only the first', () => {
  const attributes = ['shop.bank.com', 'www.bank.com'].map((name) =>
    requestExtensions(alternativeNames(host(name))),
  )
  const result = readCsr(buildRequest({ attributes }).toString('base64'))
  expect('csr' in result && result.csr.warnings.join()).toContain('in more than one place')
})

it('warns of each extension that is there more than once', () => {
  const rare = (id: string): Buffer => extension(id, sequence(host('shop.bank.com')))
  const twice = ['2.5.29.18', '1.2.3.4'].flatMap((id) => [rare(id), rare(id)])
  const warnings = readWarnings([PLAIN], undefined, ...twice)
  expect(warnings).toContain('It asks for the extension Issuer alternative names more than once.')
  expect(warnings).toContain('It asks for the extension 1.2.3.4 more than once.')
})

it.each([
  { names: ['shop.bank.com', '*.bnak.com', 'bank.com'], pairs: [] },
  { names: ['shop.swissbank.com', '*.swisbank.com'], pairs: ['swissbank.com and swisbank.com'] },
  { names: ['*.swissbank.com', '*.swisssbank.com'], pairs: ['swissbank.com and swisssbank.com'] },
  { names: ['swissbank.com', 'swissbnak.com', 'wissbank.com'], pairs: ['swissbnak.com', 'and wissbank.com'] },
  { names: ['swissbank.com', 'sw1ssbank.com'], pairs: ['swissbank.com and sw1ssbank.com'] },
  { names: ['swissbank.com', 'swissbank2.com', '1swissbank.com', 'swissbank24.com'], pairs: [] },
  { names: ['bank1.com', 'bank2.com', 'xn--80akhbyknj4f.com', 'xn--80akhbyknj4g.com'], pairs: [] },
  { names: ['swissbank.com', 'swissbank.org', 'swiss-b-ank.com', 'shop.swissbank.com'], pairs: [] },
  {
    names: [
      ...Array.from({ length: 40 }, (_, at) => `${'abcdefghij'.repeat(2)}${at}x.com`),
      'swissbank.com',
      'swissbamk.com',
    ],
    pairs: ['swissbank.com and swissbamk.com'],
  },
])('takes for a typo, also behind a wildcard and after many names: $pairs', ({ names, pairs }) => {
  const extensions = [alternativeNames(...names.map(host))]
  const result = readCsr(buildRequest({ extensions }).toString('base64'))
  const typos = 'csr' in result ? result.csr.warnings.filter((text) => text.includes('typo')) : []
  expect(typos).toEqual(pairs.map((pair) => expect.stringContaining(pair)))
})
