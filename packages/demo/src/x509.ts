import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

// By hand, because the libraries for it need more code around them than this: `@peculiar/x509` needs an API for metadata that Node.js
// doesn't have.

/** Encodes one DER element. The demo's elements are shorter than 64 KB. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts)
const integer = (value: Uint8Array): Buffer => der(0x02, value)
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const octets = (value: Uint8Array): Buffer => der(0x04, value)
const bits = (value: Uint8Array): Buffer => der(0x03, Buffer.of(0), value)
const text = (value: string): Buffer => der(0x0c, Buffer.from(value))

const COMMON_NAME = objectId('550403')
const ORGANIZATION = objectId('55040a')
const ALTERNATIVE_NAMES = objectId('551d11')
const EXTENSION_REQUEST = objectId('2a864886f70d01090e')
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'))

const distinguishedName = (commonName: string): Buffer =>
  sequence(set(sequence(COMMON_NAME, text(commonName))), set(sequence(ORGANIZATION, text('Example'))))

const alternativeNames = (names: readonly string[]): Buffer =>
  sequence(ALTERNATIVE_NAMES, octets(sequence(...names.map((name) => der(0x82, Buffer.from(name))))))

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const exportKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

/** Signs the content, and formats both as PEM. */
function signed(label: string, content: Buffer, key: KeyObject): string {
  const encoded = sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, key)))
  const lines = encoded.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----`
}

/** Creates a certificate signing request with a new key, which nobody keeps. */
export function createRequest(names: readonly string[]): string {
  const { privateKey, publicKey } = newKeys()
  const extensions = der(0xa0, sequence(EXTENSION_REQUEST, set(sequence(alternativeNames(names)))))
  const subject = distinguishedName(names[0] ?? '')
  const content = sequence(integer(Buffer.of(0)), subject, exportKey(publicKey), extensions)
  return signed('CERTIFICATE REQUEST', content, privateKey)
}
