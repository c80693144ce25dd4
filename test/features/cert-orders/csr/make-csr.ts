import { generateKeyPairSync, sign } from 'node:crypto'
import { alternativeNames, buildRequest, buildSubject, host, requestExtensions } from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'

export interface MadeCsr {
  pem: string
  der: Buffer
  /** PKCS #8, PEM. */
  privateKey: string
}

const RSA_WITH_SHA256 = sequence(oid('1.2.840.113549.1.1.11'), der(0x05))
const CHALLENGE_PASSWORD = oid('1.2.840.113549.1.9.7')

export function makeCsr({
  rsaBits,
  commonName = 'shop.example.com',
  organization = 'Example',
  names = ['shop.example.com'],
  challenge,
}: {
  /** The size of an RSA key. By default, the key is on the curve P-256. */
  rsaBits?: number
  commonName?: string
  organization?: string
  /** DNS names. */
  names?: readonly string[]
  /** A challenge password: a secret that anyone with the request can read. */
  challenge?: string
} = {}): MadeCsr {
  const { privateKey: key } = rsaBits
    ? generateKeyPairSync('rsa', { modulusLength: rsaBits })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const bytes = buildRequest({
    subject: buildSubject(['2.5.4.3', commonName], ['2.5.4.10', organization]),
    attributes: [
      ...(names.length > 0 ? [requestExtensions(alternativeNames(...names.map(host)))] : []),
      ...(challenge === undefined ? [] : [sequence(CHALLENGE_PASSWORD, set(der(0x0c, challenge)))]),
    ],
    key,
    ...(rsaBits && { algorithm: RSA_WITH_SHA256 }),
    createSignature: (signed) => sign('sha256', signed, key),
  })
  return {
    pem: toPem('CERTIFICATE REQUEST', bytes),
    der: bytes,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export function toPem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
