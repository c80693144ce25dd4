import { createHash, createPublicKey } from 'node:crypto'
import { type IsListedKey, NONE_LISTED } from '../../../domain/listed-keys.ts'
import { type ShownExtension, shownExtensions } from './describe-extension.ts'
import { commonNames, distinguishedName } from './distinguished-name.ts'
import { alternativeLists, EXTENSION_REQUESTS, hasSeveralValues, requestedExtensions } from './extensions.ts'
import { describeKey } from './key.ts'
import { alternativeNames } from './names.ts'
import { ATTRIBUTE_NAMES } from './object-names.ts'
import { findRequest, pemOf } from './pem.ts'
import { type CertificationRequest, parseRequest } from './request.ts'
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
  /** Every requested extension but the names. Absent in orders of earlier versions, as what follows is. */
  extensions?: readonly ShownExtension[]
  /** Which attributes it has beside the requests for extensions, by name or object identifier. */
  attributes?: readonly string[]
  /** The names that deserve a look: how many, and the first of them. */
  look?: { total: number; first: readonly NameNote[] }
}

export type ReadCsr = { csr: Csr } | { problem: string }

export const UNREADABLE =
  'This is no certificate signing request, or a damaged one. Check it with openssl req -in your.csr -noout -verify, and paste it whole.'
const SEVERAL_VALUES =
  'This request asks for its names several times over, so that readers may see different ones. Make it anew with openssl req -new, which asks once.'
const SEVERAL = 'There is more than one request here. An order takes one: send one of them.'
const NUL =
  'A name in this request has a NUL in it: some readers stop there, so that they see another name than others. It is not sent. Make the request anew without it.'

/** Names whose reasons are kept with the order; the pages of all names have the others' too. */
const MOST_NOTED = 100

/** Reads what was pasted, and verifies it. Refuses what no order should carry; never throws, and never repeats the text. */
export function readCsr(pasted: string, isListed: IsListedKey = NONE_LISTED): ReadCsr {
  const found = findRequest(pasted)
  if ('problem' in found) return found
  const read = examine(found.der, isListed)
  return 'csr' in read ? { csr: { ...read.csr, look: lookOver(read.csr.names) } } : read
}

/** The same of a request that was found, and without a look at its names, of which there may be thousands. */
export function examine(der: Buffer, isListed: IsListedKey): ReadCsr {
  try {
    return examined(der, isListed)
  } catch {
    // What the parsers say of broken bytes helps nobody.
    return { problem: UNREADABLE }
  }
}

/** Collects what deserves a look, name by name. */
export function collectNotes() {
  const first: NameNote[] = []
  let total = 0
  return {
    add(name: string): void {
      const why = lookAt(name)
      if (why.length === 0) return
      total += 1
      if (first.length < MOST_NOTED) first.push({ name, why })
    },
    notes: (): NonNullable<Csr['look']> => ({ total, first }),
  }
}

function lookOver(names: readonly string[]): NonNullable<Csr['look']> {
  const { add, notes } = collectNotes()
  for (const name of names) add(name)
  return notes()
}

function examined(der: Buffer, isListed: IsListedKey): ReadCsr {
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
  if (names.some((name) => name.includes('\0'))) return { problem: NUL }
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
        commonNames: commonNames(request.subject),
        names,
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
