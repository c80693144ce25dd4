import { X509Certificate } from 'node:crypto'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../../../domain/private-key.ts'
import { TAG } from './der.ts'

/** The DER of the request, or sentences that say what's wrong with the pasted text and how to fix it. */
type FoundRequest = { der: Buffer } | { problem: string }

const NO_REQUEST =
  'No certificate signing request was found. Paste the whole text from -----BEGIN CERTIFICATE REQUEST----- to -----END CERTIFICATE REQUEST-----.'

const TRUNCATED =
  'The request is cut off. Its END line is missing. Paste all of it. The field takes up to 3,000 characters, so upload longer requests as a file.'

const BROKEN =
  'The text between the BEGIN and END lines isn’t valid base64. Copy the file again, complete and unchanged.'

const SEVERAL_REQUESTS = 'This contains more than one request. Paste only one.'

const LABEL = 'CERTIFICATE REQUEST'

// Every repetition is bounded or followed by a character that it can't match, so matching takes linear time.
const BEGIN_PATTERN = /-{1,20} {0,3}BEGIN (?:NEW )?CERTIFICATE REQUEST {0,3}-{1,20}/i
const END_PATTERN = /-{1,20} {0,3}END (?:NEW )?CERTIFICATE REQUEST {0,3}-/i
/** A header of old PEM files, such as `Comment: web-1`. */
export const PEM_HEADER = /^[ \t]{0,3}[A-Za-z][A-Za-z-]{0,40}:.*$/gm

const BEGIN_LINE = /BEGIN (?:NEW )?CERTIFICATE REQUEST/gi

const OTHER_BEGIN_LINE = /BEGIN ([A-Z0-9 ]{1,40}?) {0,3}-/i

/** Finds the request in pasted text: PEM with or without line breaks, with text around it, or bare base64 of the DER. */
export function findRequest(pasted: string): FoundRequest {
  const text = normalizePasted(pasted)
  if (containsPrivateKey(text))
    return { problem: `${LEAKED_KEY_WARNING} Create a new key and a new request.` }
  const count = text.match(BEGIN_LINE)?.length ?? 0
  if (count > 1) return { problem: SEVERAL_REQUESTS }
  const request = findRequestBody(text)
  if (request !== undefined) return decodeRequest(request, BROKEN)
  if (count > 0) return { problem: TRUNCATED }
  const other = OTHER_BEGIN_LINE.exec(text)
  if (!other) return decodeBareBase64(text)
  const [, label = ''] = other
  if (!/CERTIFICATE$/i.test(label)) return { problem: `This is a ${label}. ${NO_REQUEST}` }
  return { problem: CERTIFICATE_PASTED }
}

/** The file as text, and binary files as base64, which is read like bare base64 that somebody pasted. */
export function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff
  // Without a mark, every second byte of ASCII text is 0.
  if (isBigEndian || (bytes[0] === 0 && bytes[1] !== 0))
    return Buffer.from(bytes.subarray(isBigEndian ? 2 : 0, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString('utf16le')
  if (bytes[1] === 0 && bytes[0] !== TAG.sequence) return bytes.toString('utf16le')
  const text = bytes.toString('utf8')
  return BINARY.test(text) ? bytes.toString('base64') : text
}

/** Control characters that no text has. All DER has some, also short keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds them.
const BINARY = /[\0-\x08\x0e-\x1f]/

/** The text between the BEGIN and END lines, without headers. */
function findRequestBody(text: string): string | undefined {
  const begin = BEGIN_PATTERN.exec(text)
  if (!begin) return undefined
  const rest = text.slice(begin.index + begin[0].length)
  const end = END_PATTERN.exec(rest)
  return end ? rest.slice(0, end.index).replace(PEM_HEADER, '') : undefined
}

/** The request as PEM, in lines of 64 characters. */
export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${LABEL}-----`, ...lines, `-----END ${LABEL}-----`, ''].join('\n')
}

/** Undoes common damage: phones turn hyphens into dashes, JSON turns line ends into `\n`, and mail puts `>` before lines. */
export const normalizePasted = (pasted: string): string =>
  pasted
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\\r|\\n/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/\u00a0/g, ' ')

function decodeBareBase64(text: string): FoundRequest {
  const found = decodeRequest(text, NO_REQUEST)
  // Kubernetes encodes the whole PEM text once more.
  if ('der' in found && found.der.includes('-----BEGIN')) return findRequest(found.der.toString('utf8'))
  return 'der' in found && isCertificate(found.der) ? { problem: CERTIFICATE_PASTED } : found
}

function decodeRequest(base64: string, problem: string): FoundRequest {
  const der = decodeBase64(base64)
  return der ? { der } : { problem }
}

/** The bytes of base64, with any white space; undefined if it isn't base64. */
export function decodeBase64(base64: string): Buffer | undefined {
  const text = base64.replace(/\s+/g, '').replace(/={1,3}$/, '')
  // ACME clients write base64url. All requests and certificates begin with the same letters.
  const compactText = /^MI/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  const isBase64 =
    compactText.length > 40 && compactText.length % 4 !== 1 && /^[A-Za-z0-9+/]+$/.test(compactText)
  return isBase64 ? Buffer.from(compactText, 'base64') : undefined
}

const CERTIFICATE_PASTED =
  'This is a certificate, not a certificate signing request. Paste the certificate signing request (CSR).'

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}
