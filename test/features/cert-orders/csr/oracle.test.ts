import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatOrderTitle } from '../../../../src/features/cert-orders/rules/order.ts'
import { listReviewNotes } from '../../../../src/features/cert-orders/rules/review.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, type Random, readSeed } from '../../../random.ts'
import { alternativeNames, buildRequest, buildSubject, extension, P256 } from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'
import { x509 } from './x509.ts'

const SEED = readSeed()
const COUNT = quickOrLong('ORACLE', { quick: 120, long: 10_000 })

const CN = '2.5.4.3'
const SUBJECT_TYPES = [CN, CN, '2.5.4.10', '2.5.4.11', '2.5.4.5', '2.5.4.6', '1.2.3.4']
/** Valid names, and texts that a careless parser would mistake for other names. */
const TEXTS = [
  'www.bank.example',
  'Bank, CN=www.bank.example',
  'Bank/CN=www.bank.example',
  'a+CN=b',
  'CN=x',
  '#0c01',
  'Example\\, Inc.',
  ' www.bank.example',
  'Société',
  'shop.example.com',
  'DNS:evil.example',
  'DNS evil.example',
]
const HOSTS = ['shop.example.com', 'www.shop.example.com', 'api.shop.example.com', 'mail.example.org']
const USUAL_USES = der(0x03, Buffer.from([5, 0xa0]))
const TLS_SERVER = sequence(oid('1.3.6.1.5.5.7.3.1'))

/** Only well-formed extensions, because the other library fails on some malformed ones. `isUnusual`: an approver must look at it. */
const EXTENSIONS: readonly { bytes: Buffer; isUnusual: boolean }[] = [
  { bytes: extension('2.5.29.15', USUAL_USES), isUnusual: false },
  { bytes: extension('2.5.29.37', TLS_SERVER), isUnusual: false },
  { bytes: extension('2.5.29.19', sequence()), isUnusual: false },
  { bytes: extension('2.5.29.14', der(0x04, 'twenty bytes of key..')), isUnusual: false },
  { bytes: extension('2.5.29.19', sequence(der(0x01, Buffer.from([0xff])))), isUnusual: true },
  { bytes: extension('2.5.29.19', sequence(der(0x02, Buffer.from([0])))), isUnusual: true },
  { bytes: extension('2.5.29.15', der(0x03, Buffer.from([1, 0x06]))), isUnusual: true },
  { bytes: extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.3'))), isUnusual: true },
  { bytes: extension('1.3.6.1.5.5.7.1.24', sequence(der(0x02, Buffer.from([5])))), isUnusual: true },
  ...[
    '2.5.29.30',
    '2.5.29.33',
    '2.5.29.36',
    '2.5.29.54',
    '1.3.6.1.5.5.7.1.3',
    '1.3.6.1.5.5.7.48.1.5',
    '1.3.6.1.4.1.11129.2.4.3',
    '1.3.6.1.4.1.311.20.2',
    '2.16.840.1.113730.1.13',
    '1.2.3.4.5',
  ].map((id) => ({ bytes: extension(id, der(0x0c, 'SubCA')), isUnusual: true })),
]

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const P384 = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey
const KEYS: readonly { key: KeyObject; algorithm: Buffer; digest: string }[] = [
  { key: P256, algorithm: sequence(oid('1.2.840.10045.4.3.2')), digest: 'sha256' },
  { key: P384, algorithm: sequence(oid('1.2.840.10045.4.3.3')), digest: 'sha384' },
  { key: RSA, algorithm: sequence(oid('1.2.840.113549.1.1.11'), der(0x05)), digest: 'sha256' },
]

interface GeneratedRequest {
  bytes: Buffer
  /** True if it has an extension or attribute that an approver must look at. */
  isUnusual: boolean
  hosts: readonly string[]
}

function makeRequest(random: Random): GeneratedRequest {
  const isPlain = random.below(3) === 0
  const times = <T>(max: number, make: () => T): T[] => Array.from({ length: random.below(max + 1) }, make)
  const parts = isPlain
    ? [[CN, 'shop.example.com'] as const]
    : times(
        4,
        () =>
          [random.oneOf(SUBJECT_TYPES), random.oneOf(TEXTS), random.oneOf([0x0c, 0x0c, 0x1e, 0x13])] as const,
      )
  const subject = buildSubject(
    ...parts.map(([id, text, tag = 0x0c]) =>
      tag === 0x1e
        ? ([id, Buffer.from(text, 'utf16le').swap16(), tag] as const)
        : ([id, text, /^[\x20-\x7e]*$/.test(text) ? tag : 0x0c] as const),
    ),
  )
  const hosts = isPlain
    ? ['shop.example.com', ...times(2, () => random.oneOf(HOSTS))]
    : times(3, () => random.oneOf(HOSTS))
  const chosen = times(3, () =>
    random.oneOf(isPlain && random.below(2) ? EXTENSIONS.slice(0, 4) : EXTENSIONS),
  )
  const names = hosts.map((text) => der(0x82, text))
  const list = [
    ...(names.length > 0 ? [alternativeNames(...names)] : []),
    ...chosen.map(({ bytes }) => bytes),
  ]
  const challenge = sequence(oid('1.2.840.113549.1.9.7'), set(der(0x0c, 'secret')))
  const hasChallenge = random.below(6) === 0
  const { key, algorithm, digest } = random.oneOf(KEYS)
  const extensionAttributes =
    list.length > 0 ? [sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...list)))] : []
  const bytes = buildRequest({
    subject,
    attributes: [...extensionAttributes, ...(hasChallenge ? [challenge] : [])],
    key,
    algorithm,
    createSignature: (signedBytes) => sign(digest, signedBytes, key),
  })
  return { bytes, isUnusual: hasChallenge || chosen.some(({ isUnusual }) => isUnusual), hosts }
}

/** Parses the request with the other library. */
function parseWithLibrary(bytes: Buffer) {
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } = x509()
  const request = new Pkcs10CertificateRequest(bytes)
  const alternative = request.extensions.filter(
    (extension) => extension instanceof SubjectAlternativeNameExtension,
  )
  return {
    commonNames: request.subjectName.getField('CN'),
    names: alternative.flatMap((extension) =>
      extension.names.items.map(({ type, value }) => `${type} ${value}`),
    ),
    extensions: request.extensions.map(({ type }) => type).filter((type) => type !== '2.5.29.17'),
    attributes: request.attributes.map(({ type }) => type).filter((type) => type !== '1.2.840.113549.1.9.14'),
  }
}

it(`parses ${COUNT} generated CSRs the same way as another library, seed ${SEED}`, {
  timeout: 300_000,
}, () => {
  const random = createRandom(SEED)
  const counts = { usual: 0, unusual: 0 }
  for (let index = 0; index < COUNT; index += 1) {
    const generated = makeRequest(random)
    const result = readCsr(generated.bytes.toString('base64'))
    if ('problem' in result) throw new Error(`${result.problem} ${generated.bytes.toString('base64')}`)
    const { csr } = result
    const oracle = parseWithLibrary(generated.bytes)
    const commonNames = csr.subjectParts.filter(({ label }) => label === 'CN').map(({ text }) => text)
    expect(commonNames).toEqual(oracle.commonNames)
    expect(csr.names.map(({ kind, text }) => `${kind.toLowerCase()} ${text}`)).toEqual(oracle.names)
    expect(csr.extensions.map((described) => described.oid)).toEqual(oracle.extensions)
    expect(csr.attributes.map((described) => described.oid)).toEqual(oracle.attributes)
    const request = { action: 'create', csr: csr.pem, duration: '1 year' }
    const main = oracle.commonNames[0] || oracle.names[0]?.slice('dns '.length)
    // A host is shown in lower case and without a trailing dot.
    if (main && /^[!-~ ]*[^.]$/.test(main))
      expect(formatOrderTitle({ content: { request, csr } }).toLowerCase()).toBe(
        `create ${main}`.toLowerCase(),
      )
    if (generated.isUnusual || oracle.attributes.length > 0) expect(csr.warnings).not.toEqual([])
    // Before durations were limited to 200 days.
    const details = { domains: [], similar: [], now: new Date('2025-01-01') }
    const review = (reviewed: typeof request): string =>
      listReviewNotes({ content: { csr, request: reviewed, names: {}, expiresAt: '' } }, details).join(' ')
    expect(review(request)).toBe('')
    expect(review({ ...request, duration: 'banana' })).toContain('can’t be read')
    if (csr.warnings.length === 0) counts.usual += 1
    else counts.unusual += 1
  }
  // Both kinds of requests must be frequent enough to be tested.
  expect(Math.min(counts.usual, counts.unusual)).toBeGreaterThan(COUNT / 50)
})
