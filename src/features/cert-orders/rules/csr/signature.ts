import { constants, type KeyObject, verify } from 'node:crypto'
import { type Element, parseElements, readObjectId } from './der.ts'
import type { CertificationRequest } from './request.ts'

/** A signature algorithm and its digest. */
interface Scheme {
  family: 'RSA' | 'RSA-PSS' | 'ECDSA' | 'Ed25519'
  digest?: string
  /** The digest of the mask generation function (MGF1). RSA-PSS only. */
  mask?: string
}

const PSS = '1.2.840.113549.1.1.10'

/** The schemes that public authorities accept, and the insecure ones that people still use (RFC 3279, RFC 4055, RFC 5758, RFC 8410). */
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

const DIGESTS: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'SHA-1',
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
  '1.2.840.113549.2.5': 'MD5',
}

const KEY_TYPES: Readonly<Record<Scheme['family'], readonly string[]>> = {
  RSA: ['rsa'],
  'RSA-PSS': ['rsa', 'rsa-pss'],
  ECDSA: ['ec'],
  Ed25519: ['ed25519'],
}

/** Attackers can create two requests with the same digest, so a signature over one also fits the other. */
const INSECURE_DIGESTS = ['MD5', 'SHA-1']

type SignatureCheckResult = { name: string } | { problem: string }

const BAD_SIGNATURE =
  'The signature doesn’t match: the request was changed or cut off after it was created. Copy the file again, or create a new request.'

/** Verifies the request's signature with the key in the request. */
export function checkSignature(request: CertificationRequest, key: KeyObject): SignatureCheckResult {
  const scheme = readScheme(request.algorithm)
  if (!scheme) {
    return {
      problem: `The request is signed in a way that can’t be checked here (${request.algorithm.id}). Sign it with SHA-256.`,
    }
  }
  const { family, digest, mask = digest } = scheme
  if (digest && INSECURE_DIGESTS.includes(digest)) {
    return {
      problem: `The request is signed with ${digest}, which can be forged. Sign it with SHA-256.`,
    }
  }
  if (mask !== digest) {
    return {
      problem: `The request is signed by RSA-PSS with ${digest} and, in its mask (MGF1), with ${mask}, which can’t be checked here. Use SHA-256 for both.`,
    }
  }
  const padding = family === 'RSA-PSS' && {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  }
  // node:crypto uses the key's algorithm, even if the request names another.
  const matchesKeyType = KEY_TYPES[family].includes(key.asymmetricKeyType ?? '')
  const isValid =
    matchesKeyType &&
    verify(digest?.replace('-', ''), request.signedBytes, { key, ...padding }, request.signature)
  if (!isValid) return { problem: BAD_SIGNATURE }
  return { name: digest ? `${family} with ${digest}` : family }
}

function readScheme({ id, parameters }: CertificationRequest['algorithm']): Scheme | undefined {
  if (id !== PSS) return SCHEMES[id]
  // The digest and the mask's digest both default to SHA-1 (RFC 4055, 3.1).
  const fields = parameters?.children() ?? []
  const [digestField, maskField] = [0xa0, 0xa1].map((fieldTag) => fields.find(({ tag }) => tag === fieldTag))
  const digest = readDigest(digestField && parseElements(digestField.content)[0])
  const mask = readDigest(maskField && parseElements(maskField.content)[0]?.children()[1])
  return digest === undefined || mask === undefined ? undefined : { family: 'RSA-PSS', digest, mask }
}

function readDigest(algorithm: Element | undefined): string | undefined {
  const [id] = algorithm?.children() ?? []
  return id ? DIGESTS[readObjectId(id)] : 'SHA-1'
}
