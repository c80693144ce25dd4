import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatOrderTitle } from '../../../../src/features/cert-orders/rules/order.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, type Random, readSeed } from '../../../random.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  P256,
  requestExtensions,
} from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'

const SEED = readSeed()
const COUNT = quickOrLong('GENERATED', { quick: 120, long: 10_000 })

const CN = '2.5.4.3'
const SUBJECT_TYPES = [CN, CN, '2.5.4.10', '2.5.4.11', '2.5.4.5', '2.5.4.6', '1.2.3.4']
/** Valid names, and texts that a careless parser would mistake for other names. */
const TEXTS = [
  ...['www.bank.example', 'Bank, CN=www.bank.example', 'Bank/CN=www.bank.example', 'a+CN=b', 'CN=x', '#0c01'],
  ...['Example\\, Inc.', ' www.bank.example', 'Société', 'shop.example.com', 'DNS:evil.example'],
]
const HOSTS = ['shop.example.com', 'www.shop.example.com', 'api.shop.example.com', 'mail.example.org']
const BMP_STRING = 0x1e
const PRINTABLE_STRING = 0x13
const UTF8_STRING = 0x0c

const encodeText = (id: string, text: string, tag: number) => {
  if (tag === BMP_STRING) return [id, Buffer.from(text, 'utf16le').swap16(), tag] as const
  return [id, text, /^[\x20-\x7e]*$/.test(text) ? tag : UTF8_STRING] as const
}

/** `isUnusual`: an approver must look at it. */
const EXTENSIONS: readonly { id: string; value: Buffer; isUnusual: boolean }[] = [
  { id: '2.5.29.15', value: der(0x03, Buffer.from([5, 0xa0])), isUnusual: false },
  { id: '2.5.29.37', value: sequence(oid('1.3.6.1.5.5.7.3.1')), isUnusual: false },
  { id: '2.5.29.19', value: sequence(), isUnusual: false },
  { id: '2.5.29.14', value: der(0x04, 'twenty bytes of key..'), isUnusual: false },
  { id: '2.5.29.19', value: sequence(der(0x01, Buffer.from([0xff]))), isUnusual: true },
  { id: '2.5.29.15', value: der(0x03, Buffer.from([1, 0x06])), isUnusual: true },
  { id: '2.5.29.37', value: sequence(oid('1.3.6.1.5.5.7.3.3')), isUnusual: true },
  { id: '1.3.6.1.5.5.7.1.24', value: sequence(der(0x02, Buffer.from([5]))), isUnusual: true },
  ...['2.5.29.30', '2.5.29.33', '1.3.6.1.5.5.7.48.1.5', '1.3.6.1.4.1.311.20.2', '1.2.3.4.5'].map((id) => ({
    ...{ id, value: der(UTF8_STRING, 'SubCA'), isUnusual: true },
  })),
]

const CHALLENGE = '1.2.840.113549.1.9.7'
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const P384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey
const KEYS: readonly { key: KeyObject; algorithm: Buffer; digest: string }[] = [
  { key: P256, algorithm: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' },
  { key: P384, algorithm: sequence(oid('1.2.840.10045.4.3.3')), digest: 'sha384' },
  { key: RSA, algorithm: sequence(oid('1.2.840.113549.1.1.11'), der(0x05)), digest: 'sha256' },
]

/** A request, and what was put into it. */
function makeRequest(random: Random) {
  const isPlain = random.below(3) === 0
  const times = <T>(max: number, make: () => T): T[] => Array.from({ length: random.below(max + 1) }, make)
  const anyPart = () =>
    [
      random.oneOf(SUBJECT_TYPES),
      random.oneOf(TEXTS),
      random.oneOf([UTF8_STRING, BMP_STRING, PRINTABLE_STRING]),
    ] as const
  const parts = isPlain ? [[CN, 'shop.example.com', UTF8_STRING] as const] : times(4, anyPart)
  const hosts = isPlain ? ['shop.example.com'] : times(3, () => random.oneOf(HOSTS))
  const extensions = times(3, () => random.oneOf(isPlain ? EXTENSIONS.slice(0, 4) : EXTENSIONS))
  const hasChallenge = !isPlain && random.below(6) === 0
  const list = [
    ...(hosts.length > 0 ? [alternativeNames(...hosts.map(host))] : []),
    ...extensions.map(({ id, value }) => extension(id, value)),
  ]
  const { key, algorithm, digest } = random.oneOf(KEYS)
  const bytes = buildRequest({
    subject: buildSubject(...parts.map((part) => encodeText(...part))),
    attributes: [
      ...(list.length > 0 ? [requestExtensions(...list)] : []),
      ...(hasChallenge ? [sequence(oid(CHALLENGE), set(der(UTF8_STRING, 'secret')))] : []),
    ],
    ...{ key, algorithm },
    createSignature: (signed) => sign(digest, signed, key),
  })
  const commonNames = parts.flatMap(([id, text]) => (id === CN ? [text] : []))
  const isUnusual = hasChallenge || extensions.some((one) => one.isUnusual)
  return { bytes, commonNames, hosts, extensions, hasChallenge, isUnusual }
}

it(`reads in ${COUNT} generated CSRs what was put into them, seed ${SEED}`, { timeout: 300_000 }, () => {
  const random = createRandom(SEED)
  const counts = { usual: 0, unusual: 0 }
  for (let index = 0; index < COUNT; index += 1) {
    const { bytes, commonNames, hosts, extensions, hasChallenge, isUnusual } = makeRequest(random)
    const result = readCsr(bytes.toString('base64'))
    if ('problem' in result) throw new Error(`${result.problem} ${bytes.toString('base64')}`)
    const { csr } = result
    expect(csr.subjectParts.flatMap(({ label, text }) => (label === 'CN' ? [text] : []))).toEqual(commonNames)
    expect(csr.names.map(({ kind, text }) => `${kind} ${text}`)).toEqual(hosts.map((name) => `DNS ${name}`))
    expect(csr.extensions.map((one) => one.oid)).toEqual(extensions.map(({ id }) => id))
    expect(csr.attributes.map((one) => one.oid)).toEqual(hasChallenge ? [CHALLENGE] : [])
    const main = commonNames[0] || hosts[0]
    // A host is shown in lower case and without a trailing dot.
    if (main && /^[!-~ ]*[^.]$/.test(main)) {
      const request = { action: 'create', csr: csr.pem, duration: '90 days' }
      const title = formatOrderTitle({ content: { request, csr } })
      expect(title.toLowerCase()).toBe(`create ${main}`.toLowerCase())
    }
    if (isUnusual) expect(csr.warnings).not.toEqual([])
    counts[csr.warnings.length === 0 ? 'usual' : 'unusual'] += 1
  }
  // Both kinds of requests must be frequent enough to be tested.
  expect(Math.min(counts.usual, counts.unusual)).toBeGreaterThan(COUNT / 50)
})
