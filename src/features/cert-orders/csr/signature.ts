import { constants, type KeyObject, verify } from 'node:crypto'
import type { Pkcs10CertificateRequest } from '@peculiar/x509'

/** How a request is signed: the family, the digest's name for people and for node:crypto. */
interface Scheme {
  family: 'RSA' | 'RSA-PSS' | 'ECDSA' | 'Ed25519' | 'Ed448'
  digest?: string
}

const FAMILIES: Readonly<Record<string, Scheme['family']>> = {
  'RSASSA-PKCS1-v1_5': 'RSA',
  'RSA-PSS': 'RSA-PSS',
  ECDSA: 'ECDSA',
  Ed25519: 'Ed25519',
  Ed448: 'Ed448',
  EdDSA: 'Ed448',
}

/** The library names by its number what it does not know (RFC 3279, RFC 5758, RFC 4055, RFC 8410). */
const BY_NUMBER: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.1.4': { family: 'RSA', digest: 'MD5' },
  '1.2.840.113549.1.1.14': { family: 'RSA', digest: 'SHA-224' },
  '1.2.840.10045.4.3.1': { family: 'ECDSA', digest: 'SHA-224' },
  '1.3.101.112': { family: 'Ed25519' },
  '1.3.101.113': { family: 'Ed448' },
}

const KEY_TYPES: Readonly<Record<Scheme['family'], readonly string[]>> = {
  RSA: ['rsa'],
  'RSA-PSS': ['rsa', 'rsa-pss'],
  ECDSA: ['ec'],
  Ed25519: ['ed25519'],
  Ed448: ['ed448'],
}

const OUTDATED = ['MD5', 'SHA-1']

export type Signed = { name: string; isOutdated: boolean } | { problem: string }

const BAD_SIGNATURE =
  'The signature does not match: the request was changed or cut after it was made. Copy the file again, or make a new one: openssl req -new -key your.key -out new.csr.'
const ANOTHER_WAY = 'Sign it with SHA-256: openssl req -new -sha256 -key your.key -out new.csr.'

/** Verifies the request's signature over `signed`, the bytes as they stand in it, with the key that it carries. */
export function checkSignature(request: Pkcs10CertificateRequest, key: KeyObject, signed: Buffer): Signed {
  // The library states it in WebCrypto's form, whose types belong to browsers.
  const algorithm = request.signatureAlgorithm as WebAlgorithm
  const scheme = schemeOf(algorithm)
  if (!scheme) {
    return {
      problem: `The request is signed in a way that cannot be checked here (${algorithm.name}). ${ANOTHER_WAY}`,
    }
  }
  const { family, digest } = scheme
  const padding = family === 'RSA-PSS' && {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  }
  const signature = Buffer.from(request.signature)
  // node:crypto goes by the key alone, whatever the request says that it is signed with.
  const isOfKey = KEY_TYPES[family].includes(key.asymmetricKeyType ?? '')
  const isRight = isOfKey && verify(digest?.replace('-', ''), signed, { key, ...padding }, signature)
  if (!isRight) return { problem: BAD_SIGNATURE }
  return {
    name: digest ? `${family} with ${digest}` : family,
    isOutdated: OUTDATED.includes(digest ?? ''),
  }
}

interface WebAlgorithm {
  name: string
  hash?: { name: string }
}

function schemeOf(algorithm: WebAlgorithm): Scheme | undefined {
  const numbered = BY_NUMBER[algorithm.name]
  const family = FAMILIES[algorithm.name]
  if (numbered || !family) return numbered
  if (family === 'Ed25519' || family === 'Ed448') return { family }
  const digest = algorithm.hash?.name
  return digest && /^SHA-\d+$/.test(digest) ? { family, digest } : undefined
}
