import { createPublicKey } from 'node:crypto'
import { distinguishedName } from './distinguished-name.ts'
import { describeKey } from './key.ts'
import { type AlternativeNames, alternativeNames, hidesNames } from './names.ts'
import { findRequest, pemOf } from './pem.ts'
import { parseRequest } from './request.ts'
import { checkSignature } from './signature.ts'

const SEVERAL_VALUES =
  'This request asks for its names several times over, so that readers may see different ones. Make it anew with openssl req -new, which asks once.'

/** A certificate signing request whose signature was verified with its own key. */
export interface Csr {
  /** As it is sent: lines of 64 characters, nothing around them. */
  pem: string
  /** RFC 4514, e.g. `CN=shop.example.com, O=Example`; empty when the request names no subject. */
  subject: string
  /** `DNS shop.example.com`, `IP 192.0.2.1`, in the request's order. */
  names: readonly string[]
  /** `RSA 2048 bits`, `EC P-256`, `Ed25519`. */
  key: string
  /** `RSA with SHA-256`, `Ed25519`. */
  signature: string
  /** What is allowed but worth knowing. */
  warnings: readonly string[]
}

export type ReadCsr = { csr: Csr } | { problem: string }

const UNREADABLE =
  'This is no certificate signing request, or a damaged one. Check it with openssl req -in your.csr -noout -verify, and paste it whole.'

/** Reads what was pasted, and verifies it. Refuses what no order should carry; never throws, and never repeats the text. */
export function readCsr(pasted: string): ReadCsr {
  const found = findRequest(pasted)
  if ('problem' in found) return found
  try {
    return examined(found.der)
  } catch {
    // What the parsers say of broken bytes helps nobody.
    return { problem: UNREADABLE }
  }
}

function examined(der: Buffer): ReadCsr {
  const request = parseRequest(der)
  const { attributes } = request
  const key = createPublicKey({ key: request.publicKey, format: 'der', type: 'spki' })
  const described = describeKey(key)
  if ('problem' in described) return described
  const signature = checkSignature(request, key)
  if ('problem' in signature) return signature
  if (hidesNames(attributes)) return { problem: SEVERAL_VALUES }
  const alternative = alternativeNames(attributes)
  const subject = distinguishedName(request.subject)
  return {
    csr: {
      pem: pemOf(der),
      subject,
      names: alternative.names,
      key: described.name,
      signature: signature.name,
      warnings: [
        ...namesWarnings(subject, alternative),
        ...(attributes.some(({ type }) => type === CHALLENGE_PASSWORD) ? [CHALLENGE] : []),
        ...(signature.isOutdated ? [`It is signed the outdated way: ${signature.name}.`] : []),
      ],
    },
  }
}

/** PKCS #9 (RFC 2985, 5.4.1). */
const CHALLENGE_PASSWORD = '1.2.840.113549.1.9.7'
const CHALLENGE =
  'It holds a challenge password, which goes to the service with it. Leave it out unless the service has asked for one.'

const ADD_NAMES = 'openssl req -new -key your.key -addext "subjectAltName=DNS:www.example.com" adds them.'

function namesWarnings(subject: string, { names, hidden }: AlternativeNames): string[] {
  if (hidden > 0) {
    const which = hidden === 1 ? '1 alternative name' : `${hidden} alternative names`
    return [`It asks for ${which} of a kind that cannot be shown here; openssl req -text shows them.`]
  }
  if (names.length > 0) return []
  return [
    subject === ''
      ? `It names nobody and nothing: no subject and no alternative names. ${ADD_NAMES}`
      : `It has no subject alternative names (SANs), the only names that browsers look at. ${ADD_NAMES}`,
  ]
}
