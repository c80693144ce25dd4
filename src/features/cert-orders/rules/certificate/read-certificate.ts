import { X509Certificate } from 'node:crypto'
import { TEXT_LIMITS } from '@signalman/runtime'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../../../domain/private-key.ts'
import { type Element, parseElements, readFirstElement, readObjectId, TAG } from '../csr/der.ts'
import { describeKey } from '../csr/key.ts'
import { type RequestedName, readAlternativeNames } from '../csr/names.ts'
import { decodeBase64, decodeText, normalizePasted, PEM_HEADER } from '../csr/pem.ts'
import { listCertificateNames } from '../host-names.ts'

/** What an issued certificate says about itself. Times are ISO text. */
export interface CertificateFacts {
  /** SHA-256 of the certificate, hexadecimal. */
  sha256: string
  /** SHA-256 of its key's value, base64url: equal to the `keyHash` of a request with the same key. */
  keyHash: string
  serial: string
  issuer: string
  subject: string
  /** In the spelling of `listCertificateNames`. */
  names: readonly string[]
  notBefore: string
  notAfter: string
  pem: string
  /** Whether its signature was checked with the authority's certificate that came with it. */
  isChecked: boolean
}

type CertificateResult = { certificate: CertificateFacts } | { problem: string }

const MAX_CERTIFICATES = 20

const NONE =
  'No certificate was found. Paste the text from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or upload the .crt, .pem, .cer, or .p7b file.'
const REQUEST = 'This is the request (CSR), not the certificate that was issued for it.'
const DAMAGED = 'The certificate is damaged. Copy the file again, complete and unchanged.'
const CUT_OFF = 'The certificate is cut off. Its END line is missing.'

/**
 * Reads one issued certificate: PEM, DER, bare base64, or PKCS #7, with or without its chain. Returns a problem for anything else;
 * never throws.
 */
export function readCertificate(bytes: Buffer): CertificateResult {
  if (bytes.length > TEXT_LIMITS.certificateBytes)
    return { problem: 'This file is too large for a certificate. The limit is 256 KB.' }
  const text = decodeText(bytes)
  if (containsPrivateKey(text)) return { problem: LEAKED_KEY_WARNING }
  const found = splitText(text)
  if ('problem' in found) return found
  if (found.certificates.length > MAX_CERTIFICATES)
    return {
      problem: `This contains ${found.certificates.length} certificates. Send only the issued one, with its chain.`,
    }
  return chooseIssued(found.certificates.map(parseCertificate))
}

/** The certificate that isn't an authority's, with its signature checked by the authorities beside it. */
function chooseIssued(parsed: readonly (X509Certificate | undefined)[]): CertificateResult {
  const certificates = parsed.filter((certificate) => certificate !== undefined)
  if (certificates.length < parsed.length) return { problem: DAMAGED }
  const others = certificates.filter(({ ca }) => !ca)
  // Old roots don't say that they are authorities.
  const signed = others.filter((one) => !one.checkIssued(one))
  const issued = new Map(
    (signed.length > 0 ? signed : others).map((certificate) => [certificate.fingerprint256, certificate]),
  )
  const [certificate] = issued.values()
  if (!certificate)
    return {
      problem:
        certificates.length > 0
          ? 'This contains only certificates of authorities. Send the one that was issued for your names.'
          : NONE,
    }
  if (issued.size > 1)
    return { problem: `This contains ${issued.size} issued certificates. Record them one by one.` }
  const issuers = certificates.filter(
    (other) => other !== certificate && other.subject === certificate.issuer,
  )
  const isChecked = issuers.some((issuer) => certificate.verify(issuer.publicKey))
  if (issuers.length > 0 && !isChecked)
    return {
      problem: `The certificate’s signature doesn’t match the authority’s certificate beside it. ${DAMAGED}`,
    }
  return readFacts(certificate, isChecked)
}

function readFacts(certificate: X509Certificate, isChecked: boolean): CertificateResult {
  const key = describeKey(certificate.publicKey)
  if ('problem' in key) return { problem: `The certificate’s key can’t be used. ${key.problem}` }
  const [notBefore, notAfter] = [new Date(certificate.validFrom), new Date(certificate.validTo)]
  if (!(notAfter > notBefore)) return { problem: 'The certificate’s dates can’t be read.' }
  if (certificate.checkIssued(certificate))
    return {
      problem:
        'This certificate is self-signed, so no authority issued it. Send the one that the service issued.',
    }
  try {
    return {
      certificate: {
        sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
        keyHash: key.hash,
        serial: certificate.serialNumber.toLowerCase(),
        issuer: flatten(certificate.issuer),
        subject: flatten(certificate.subject),
        names: listCertificateNames({ subjectParts: [], names: readNames(certificate.raw) }).map(
          ({ text }) => text,
        ),
        notBefore: notBefore.toISOString(),
        notAfter: notAfter.toISOString(),
        pem: certificate.toString(),
        isChecked,
      },
    }
  } catch {
    // Its names are malformed.
    return { problem: DAMAGED }
  }
}

const flatten = (name: string | undefined): string => (name ?? '').split('\n').join(', ')

function parseCertificate(der: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der)
    // Fails for a key that can't be read.
    return certificate.publicKey && certificate
  } catch {
    return undefined
  }
}

const ALTERNATIVE_NAMES = '2.5.29.17'
const EXTENSIONS = 0xa3

/** Uses the reader of requests, so that the same name has the same text. */
function readNames(raw: Buffer): RequestedName[] {
  const [signed] = readFirstElement(raw).children()
  const wrapped = (signed?.children() ?? []).find(({ tag }) => tag === EXTENSIONS)
  const extensions = wrapped?.children(EXTENSIONS)[0]?.children() ?? []
  return readAlternativeNames(
    extensions
      .map((extension) => extension.children())
      .filter(([id]) => id && readObjectId(id) === ALTERNATIVE_NAMES)
      .flatMap((parts) => parseElements(parts.at(-1)?.content ?? Buffer.alloc(0))),
  )
}

type SplitResult = { certificates: Buffer[] } | { problem: string }

/** A line that begins or ends a block. Every repetition is bounded, so matching takes linear time. */
const BLOCK_LINE = /-{1,20} {0,3}(BEGIN|END) ([A-Z0-9 #]{1,40}?) {0,3}(?=-|$)/gim
const CERTIFICATE_LABEL = /^(?:(?:X509 |TRUSTED )?CERTIFICATE|PKCS ?#?7(?: SIGNED DATA)?|CMS)$/i

function splitText(pasted: string): SplitResult {
  const text = normalizePasted(pasted)
  if (/BEGIN (?:NEW )?CERTIFICATE REQUEST/i.test(text)) return { problem: REQUEST }
  const blocks = listBlocks(text)
  if (blocks === undefined) return { problem: CUT_OFF }
  if (blocks.length === 0) return splitBare(text)
  const certificates: Buffer[] = []
  for (const block of blocks) {
    const found = readBlock(block)
    if ('problem' in found) return found
    certificates.push(...found.certificates)
  }
  return { certificates }
}

/** The texts between the lines that begin and end certificates; undefined if one is cut off. */
function listBlocks(text: string): string[] | undefined {
  const blocks: string[] = []
  let from: number | undefined
  for (const { 0: line, 1: kind = '', 2: label = '', index } of text.matchAll(BLOCK_LINE)) {
    if (!CERTIFICATE_LABEL.test(label)) continue
    const isBegin = kind.toUpperCase() === 'BEGIN'
    // Also if a complete one stands before it.
    if (isBegin && from !== undefined) return undefined
    if (!isBegin && from !== undefined) blocks.push(text.slice(from, index))
    from = isBegin ? index + line.length : undefined
  }
  return from === undefined ? blocks : undefined
}

function readBlock(block: string): SplitResult {
  const der = decodeBase64(block.replace(/^-+/, '').replace(PEM_HEADER, ''))
  if (!der) return { problem: `The text between the BEGIN and END lines isn’t valid base64. ${DAMAGED}` }
  const found = splitDer(der)
  return 'problem' in found && found.problem === NONE ? { problem: DAMAGED } : found
}

function splitBare(text: string): SplitResult {
  const bare = decodeBase64(text)
  if (!bare) return { problem: NONE }
  // Kubernetes encodes the whole PEM text once more.
  return bare.includes('-----BEGIN') ? splitText(bare.toString('utf8')) : splitDer(bare)
}

const PKCS7_SIGNED = '1.2.840.113549.1.7.2'
const PKCS12_DATA = '1.2.840.113549.1.7.1'
const TAGGED = 0xa0

/** The certificates in DER: one alone, or those in a PKCS #7. A PKCS #12 (PFX) contains a private key. */
function splitDer(der: Buffer): SplitResult {
  try {
    const [first, second] = readFirstElement(der).children()
    const type = second?.tag === TAG.sequence ? second.children()[0] : undefined
    if (first?.tag === TAG.integer && type && isObjectId(type, PKCS12_DATA))
      return { problem: LEAKED_KEY_WARNING }
    if (first && isRequest(first)) return { problem: REQUEST }
    if (!first || !isObjectId(first)) return { certificates: [der] }
    if (!isObjectId(first, PKCS7_SIGNED)) return { problem: NONE }
    const signed = second?.children(TAGGED)[0]?.children() ?? []
    const list = signed.find(({ tag }) => tag === TAGGED)?.children(TAGGED) ?? []
    return { certificates: list.map(({ bytes }) => bytes) }
  } catch {
    return { problem: NONE }
  }
}

/** The signed part of a request: a version, a name, a key, and attributes. A certificate's has more parts. */
function isRequest(signed: Element): boolean {
  const parts = signed.tag === TAG.sequence ? signed.children() : []
  return parts[0]?.tag === TAG.integer && parts.length <= 4
}

const isObjectId = (element: Element, id?: string): boolean =>
  element.tag === TAG.objectId && (id === undefined || readObjectId(element) === id)
