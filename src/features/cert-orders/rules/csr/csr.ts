// This folder reads certificate signing requests.

import { createPublicKey } from 'node:crypto'
import { TEXT_LIMITS } from '@signalman/runtime'
import { type DescribedAttribute, describeAttributes } from './attributes.ts'
import { RequestTooLarge } from './der.ts'
import { type DescribedExtension, describeExtensions } from './describe-extension.ts'
import { describeUnusualKey, hashKey, nameKey } from './key.ts'
import { type RequestedName, readAlternativeNames, readDistinguishedName, type SubjectPart } from './names.ts'
import { decodeText, findRequest, toPem } from './pem.ts'
import { parseRequest, readRequestedExtensions } from './request.ts'
import { checkSignature } from './signature.ts'
import { listWarnings } from './warnings.ts'

/** A certificate signing request whose signature was verified with its own key. */
export interface Csr {
  /** The PEM text that is sent: lines of 64 characters, without surrounding text. */
  pem: string
  /** RFC 4514, e.g. `CN=shop.example.com, O=Example`; empty if the request has no subject. */
  subject: string
  subjectParts: readonly SubjectPart[]
  /** The subject alternative names, in the request's order. */
  names: readonly RequestedName[]
  /** `RSA 2048 bits`, `EC P-256`. */
  key: string
  /** The key's JWK thumbprint (RFC 7638), base64url: equal for the same key in any encoding. */
  keyHash: string
  /** `RSA with SHA-256`. */
  signature: string
  /** What to look at before it's ordered, in sentences. */
  warnings: readonly string[]
  /** All requested extensions except the names. */
  extensions: readonly DescribedExtension[]
  /** Attributes other than the requested extensions. */
  attributes: readonly DescribedAttribute[]
}

export type CsrResult = { csr: Csr } | { problem: string }

export const UNREADABLE =
  'This isn’t a certificate signing request, or it’s damaged. Check it with openssl req -in your.csr -noout -verify, and paste all of it.'
const TOO_LARGE =
  'This file is too large for a certificate signing request. The limit is 64 KB. Upload only the .csr file.'
const SEVERAL_VALUES =
  'This request lists its names in several places, so different programs may read different names. Create a new one with openssl req -new.'
/** A NUL, raw or escaped as in RFC 4514. */
const HAS_NUL = /\0|(?<!\\)(?:\\\\)*\\00/
const NUL_IN_NAME =
  'A name in this request contains a NUL, so different programs may read different names. It wasn’t sent. Create a new request without it.'

/**
 * Parses a pasted request and verifies its signature. Returns a problem for anything that must not be ordered; never throws.
 */
export function readCsr(pasted: string): CsrResult {
  const request = findRequest(pasted)
  if ('problem' in request) return request
  try {
    return parseVerified(request.der)
  } catch (error) {
    // The parsers' messages about broken bytes wouldn't help people.
    return { problem: error instanceof RequestTooLarge ? error.message : UNREADABLE }
  }
}

/** Like `readCsr`, for an uploaded file: any form of PEM, UTF-16 from Windows tools, or DER. */
export const readCsrFile = (bytes: Buffer): CsrResult =>
  bytes.length > TEXT_LIMITS.csrBytes ? { problem: TOO_LARGE } : readCsr(decodeText(bytes))

function parseVerified(der: Buffer): CsrResult {
  const request = parseRequest(der)
  const extensions = readRequestedExtensions(request.extensionRequests)
  const names = readAlternativeNames(extensions)
  const { parts: subjectParts, text: subject } = readDistinguishedName(request.subject)
  const key = createPublicKey({ key: request.publicKey, format: 'der', type: 'spki' })
  const namedKey = nameKey(key)
  if ('problem' in namedKey) return namedKey
  const signature = checkSignature(request, key)
  if ('problem' in signature) return signature
  if (request.extensionRequests.some(({ values }) => values.length > 1)) return { problem: SEVERAL_VALUES }
  if ([...subjectParts, ...names].some(({ text }) => HAS_NUL.test(text))) return { problem: NUL_IN_NAME }
  const described = describeExtensions(extensions)
  const attributes = describeAttributes(request.otherAttributes)
  return {
    csr: {
      pem: toPem(request.requestBytes),
      subject,
      subjectParts,
      names,
      key: namedKey.name,
      keyHash: hashKey(key),
      signature: signature.name,
      warnings: [
        ...describeUnusualKey(namedKey.name),
        ...listWarnings({ request, extensions, described, attributes, subjectParts, names }),
      ],
      extensions: described,
      attributes,
    },
  }
}
