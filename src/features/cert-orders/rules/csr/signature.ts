import { type KeyObject, verify } from 'node:crypto'
import type { CertificationRequest } from './request.ts'

/** A signature algorithm and its digest. */
interface Scheme {
  family: 'RSA' | 'ECDSA' | 'Ed25519'
  digest?: string
}

/** The schemes that public authorities accept, and the insecure ones that people still use (RFC 3279, RFC 5758, RFC 8410). */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  '1.2.840.113549.1.1.4': { family: 'RSA', digest: 'MD5' },
  '1.2.840.113549.1.1.5': { family: 'RSA', digest: 'SHA-1' },
  '1.2.840.113549.1.1.11': { family: 'RSA', digest: 'SHA-256' },
  '1.2.840.113549.1.1.12': { family: 'RSA', digest: 'SHA-384' },
  '1.2.840.113549.1.1.13': { family: 'RSA', digest: 'SHA-512' },
  '1.2.840.10045.4.1': { family: 'ECDSA', digest: 'SHA-1' },
  '1.2.840.10045.4.3.2': { family: 'ECDSA', digest: 'SHA-256' },
  '1.2.840.10045.4.3.3': { family: 'ECDSA', digest: 'SHA-384' },
  '1.2.840.10045.4.3.4': { family: 'ECDSA', digest: 'SHA-512' },
  '1.3.101.112': { family: 'Ed25519' },
}

const KEY_TYPES: Readonly<Record<Scheme['family'], string>> = {
  RSA: 'rsa',
  ECDSA: 'ec',
  Ed25519: 'ed25519',
}

/** Attackers can create two requests with the same digest, so a signature over one also fits the other. */
const INSECURE_DIGESTS = ['MD5', 'SHA-1']

type SignatureCheckResult = { name: string } | { problem: string }

const BAD_SIGNATURE =
  'The signature doesn’t match: the request was changed or cut off after it was created. Copy the file again, or create a new request.'

/** Verifies the request's signature with the key in the request. */
export function checkSignature(request: CertificationRequest, key: KeyObject): SignatureCheckResult {
  const scheme = SCHEMES[request.algorithm]
  if (!scheme) {
    return {
      problem: `The request is signed in a way that can’t be checked here (${request.algorithm}). Sign it with SHA-256.`,
    }
  }
  const { family, digest } = scheme
  if (digest && INSECURE_DIGESTS.includes(digest)) {
    return {
      problem: `The request is signed with ${digest}, which can be forged. Sign it with SHA-256.`,
    }
  }
  // node:crypto uses the key's algorithm, even if the request names another.
  const matchesKeyType = KEY_TYPES[family] === key.asymmetricKeyType
  const isValid =
    matchesKeyType && verify(digest?.replace('-', ''), request.signedBytes, key, request.signature)
  if (!isValid) return { problem: BAD_SIGNATURE }
  return { name: digest ? `${family} with ${digest}` : family }
}
