import { type KeyObject, verify } from 'node:crypto'
import type { CertificationRequest } from './request.ts'

/**
 * The schemes that public authorities accept, and the insecure ones that people still use (RFC 3279, RFC 5758, RFC 8410), with the type
 * of their keys in node:crypto.
 */
const SCHEMES: Readonly<Record<string, readonly [keyType: 'rsa' | 'ec' | 'ed25519', digest?: string]>> = {
  '1.2.840.113549.1.1.4': ['rsa', 'MD5'],
  '1.2.840.113549.1.1.5': ['rsa', 'SHA-1'],
  '1.2.840.113549.1.1.11': ['rsa', 'SHA-256'],
  '1.2.840.113549.1.1.12': ['rsa', 'SHA-384'],
  '1.2.840.113549.1.1.13': ['rsa', 'SHA-512'],
  '1.2.840.10045.4.1': ['ec', 'SHA-1'],
  '1.2.840.10045.4.3.2': ['ec', 'SHA-256'],
  '1.2.840.10045.4.3.3': ['ec', 'SHA-384'],
  '1.2.840.10045.4.3.4': ['ec', 'SHA-512'],
  '1.3.101.112': ['ed25519'],
}

const FAMILIES = { rsa: 'RSA', ec: 'ECDSA', ed25519: 'Ed25519' } as const

/** Attackers can create two requests with the same digest, so a signature over one also fits the other. */
const INSECURE_DIGESTS: readonly unknown[] = ['MD5', 'SHA-1']

const BAD_SIGNATURE =
  'The signature doesn’t match: the request was changed or cut off after it was created. Copy the file again, or create a new request.'

/** Verifies the request's signature with the key in the request. `name`: `RSA with SHA-256`. */
export function checkSignature(
  { algorithm, signedBytes, signature }: CertificationRequest,
  key: KeyObject,
): { name: string } | { problem: string } {
  const [keyType, digest] = SCHEMES[algorithm] ?? []
  if (!keyType)
    return {
      problem: `The request is signed in a way that can’t be checked here (${algorithm}). Sign it with SHA-256.`,
    }
  if (INSECURE_DIGESTS.includes(digest))
    return { problem: `The request is signed with ${digest}, which can be forged. Sign it with SHA-256.` }
  // node:crypto uses the key's algorithm, even if the request names another.
  const isValid =
    key.asymmetricKeyType === keyType && verify(digest?.replace('-', ''), signedBytes, key, signature)
  return isValid
    ? { name: [FAMILIES[keyType], digest].filter(Boolean).join(' with ') }
    : { problem: BAD_SIGNATURE }
}
