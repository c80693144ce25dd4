import { createHash, createPublicKey } from 'node:crypto'
import { inTurns, TEXT_LIMITS } from '@signalman/runtime'
import { type IsListedKey, NONE_LISTED } from '../../../domain/listed-keys.ts'
import { BeyondLimit, firstElement, TAG } from './der.ts'
import { type ShownExtension, shownExtensions } from './describe-extension.ts'
import { describeKey } from './key.ts'
import { alternativeNames, distinguishedName, textsIn } from './names.ts'
import { findRequest, pemOf } from './pem.ts'
import {
  alternativeLists,
  type CertificationRequest,
  EXTENSION_REQUESTS,
  hasSeveralValues,
  parseRequest,
  requestedExtensions,
} from './request.ts'
import { checkSignature } from './signature.ts'
import { lookAt, type NameNote } from './suspicious-names.ts'
import { warningsOf } from './warnings.ts'

/** A certificate signing request whose signature was verified with its own key. */
export interface Csr {
  /** As it is sent: lines of 64 characters, nothing around them. */
  pem: string
  /** RFC 4514, e.g. `CN=shop.example.com, O=Example`; empty when the request names no subject. */
  subject: string
  /** `DNS shop.example.com`, `IP 192.0.2.1`, in the request's order. */
  names: readonly string[]
  /** `RSA 2048 bits`, `EC P-256`. */
  key: string
  /** SHA-256 of the public key, base64url. */
  keyHash?: string
  /** `RSA with SHA-256`. */
  signature: string
  /** What is allowed but worth knowing. */
  warnings: readonly string[]
  /** Every requested extension but the names. */
  extensions: readonly ShownExtension[]
  /** Which attributes it has beside the requests for extensions, by name or object identifier. */
  attributes: readonly string[]
  /** The names that deserve a look: how many, and the first of them. */
  look: { total: number; first: readonly NameNote[] }
}

type ReadCsr = { csr: Csr } | { problem: string }

export const UNREADABLE =
  'This is no certificate signing request, or a damaged one. Check it with openssl req -in your.csr -noout -verify, and paste it whole.'
const TOO_LARGE =
  'This file is too large for a certificate signing request: at most 64 KB are taken. Upload the .csr file alone.'
const SEVERAL_VALUES =
  'This request asks for its names several times over, so that readers may see different ones. Make it anew with openssl req -new, which asks once.'
const SEVERAL = 'There is more than one request here. An order takes one: send one of them.'
/** Where a name is written as RFC 4514 has it, as its number. */
const HAS_NUL = /\0|(?<!\\)(?:\\\\)*\\00/
const NUL =
  'A name in this request has a NUL in it: some readers stop there, so that they see another name than others. It is not sent. Make the request anew without it.'

/** Names whose reasons are kept with the order; the pages of all names have the others' too. */
const MOST_NOTED = 100

/** Reads what was pasted, and verifies it. Refuses what no order should carry; never throws, and never repeats the text. */
export function readCsr(pasted: string, isListed: IsListedKey = NONE_LISTED): ReadCsr {
  const slices = reading(pasted, isListed)
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
  }
}

/**
 * The same of an uploaded file: PEM in any of its forms, UTF-16 as Windows tools write it, or DER. Lets requests in between the
 * names, of which there may be thousands.
 */
export async function readCsrFile(bytes: Buffer, isListed: IsListedKey = NONE_LISTED): Promise<ReadCsr> {
  return bytes.length > TEXT_LIMITS.csrBytes
    ? { problem: TOO_LARGE }
    : inTurns(reading(requestText(bytes), isListed))
}

function requestText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  // DER is never plain text: the length that follows the tag of anything as long as a request has its high bit set.
  if (bytes[0] === TAG.sequence && (bytes[1] ?? 0) >= 0x80) return bytes.toString('base64')
  return bytes.toString('utf8')
}

function* reading(text: string, isListed: IsListedKey): Generator<void, ReadCsr> {
  const found = findRequest(text)
  if ('problem' in found) return found
  yield
  const read = examine(found.der, isListed)
  if ('problem' in read) return read
  const first: NameNote[] = []
  let total = 0
  for (const name of read.csr.names) {
    yield
    const why = lookAt(name)
    if (why.length > 0) total += 1
    if (why.length > 0 && first.length < MOST_NOTED) first.push({ name, why })
  }
  return { csr: { ...read.csr, look: { total, first } } }
}

/** All but what its names are looked at for, which takes a while. */
type Examined = { csr: Omit<Csr, 'look'> } | { problem: string }

function examine(der: Buffer, isListed: IsListedKey): Examined {
  try {
    return examined(der, isListed)
  } catch (error) {
    // What the parsers say of broken bytes helps nobody.
    return { problem: error instanceof BeyondLimit ? error.message : UNREADABLE }
  }
}

function examined(der: Buffer, isListed: IsListedKey): Examined {
  const request = parseRequest(der)
  if (isRequest(request.behind)) return { problem: SEVERAL }
  const { attributes } = request
  const extensions = requestedExtensions(attributes)
  const names = alternativeNames(alternativeLists(extensions))
  const subject = distinguishedName(request.subject)
  const asked = { subject, names }
  const key = createPublicKey({ key: request.publicKey, format: 'der', type: 'spki' })
  const described = describeKey(key, asked, isListed)
  if ('problem' in described) return described
  const signature = checkSignature(request, key, asked)
  if ('problem' in signature) return signature
  if (hasSeveralValues(attributes)) return { problem: SEVERAL_VALUES }
  if ([subject, ...names].some((name) => HAS_NUL.test(name))) return { problem: NUL }
  return {
    csr: {
      pem: pemOf(request.whole),
      subject,
      names,
      key: described.name,
      keyHash: createHash('sha256').update(request.publicKey).digest('base64url'),
      signature: signature.name,
      warnings: warningsOf({
        request,
        extensions,
        subject,
        subjectTexts: textsIn(request.subject),
        names,
        key: described.name,
        publicKey: firstElement(request.publicKey),
        isUnusual: signature.isUnusual,
        signature: signature.name,
      }),
      extensions: shownExtensions(extensions),
      attributes: otherAttributes(request),
    },
  }
}

function isRequest(bytes: Buffer): boolean {
  try {
    return parseRequest(bytes).signature.length > 0
  } catch {
    return false
  }
}

const otherAttributes = ({ attributes }: CertificationRequest): string[] =>
  attributes
    .map(({ type }) => type)
    .filter((type) => !EXTENSION_REQUESTS.includes(type))
    .map((type) => ATTRIBUTE_NAMES[type] ?? type)

const ATTRIBUTE_NAMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.9.2': 'Unstructured name',
  '1.2.840.113549.1.9.7': 'Challenge password',
  '1.2.840.113549.1.9.8': 'Unstructured address',
  '1.3.6.1.4.1.311.13.2.1': 'Microsoft enrolment name and value',
  '1.3.6.1.4.1.311.13.2.2': 'Microsoft cryptographic provider',
  '1.3.6.1.4.1.311.13.2.3': 'Microsoft Windows version',
  '1.3.6.1.4.1.311.21.20': 'Microsoft client information',
}
