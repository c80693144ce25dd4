import { webcrypto } from 'node:crypto'
import type { JsonGeneralNames } from '@peculiar/x509'
import { x509 } from './x509.ts'

const KEYS = {
  rsa1024: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024 },
  rsa2048: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 },
  rsa2048sha1: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1', modulusLength: 2048 },
  rsa2048pss: { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048 },
  rsa2048sha512: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512', modulusLength: 2048 },
  rsa4096: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512', modulusLength: 4096 },
  p256: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
  p384: { name: 'ECDSA', hash: 'SHA-384', namedCurve: 'P-384' },
  p521: { name: 'ECDSA', hash: 'SHA-512', namedCurve: 'P-521' },
  ed25519: { name: 'Ed25519' },
} as const

export type KeyKind = keyof typeof KEYS

export interface MadeCsr {
  pem: string
  der: Buffer
  /** PKCS #8, PEM. */
  privateKey: string
}

/** Creates a certificate signing request. */
export async function makeCsr({
  key = 'p256',
  subject = 'CN=shop.example.com, O=Example',
  names = [{ type: 'dns', value: 'shop.example.com' }],
  challenge,
}: {
  key?: KeyKind
  subject?: string
  names?: JsonGeneralNames
  /** A challenge password: a secret that anyone with the request can read. */
  challenge?: string
} = {}): Promise<MadeCsr> {
  const algorithm = { publicExponent: new Uint8Array([1, 0, 1]), ...KEYS[key] }
  // Cast, because WebCrypto's types don't cover a union of algorithms. Each of these creates a key pair.
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
  const { ChallengePasswordAttribute, Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } =
    x509()
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: key === 'rsa2048pss' ? { name: 'RSA-PSS', saltLength: 32 } : KEYS[key],
    attributes: challenge === undefined ? [] : [new ChallengePasswordAttribute(challenge)],
    extensions: names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [],
  })
  const privateKey = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    pem: request.toString('pem'),
    der: Buffer.from(request.rawData),
    privateKey: toPem('PRIVATE KEY', privateKey),
  }
}

export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
