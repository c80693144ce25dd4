import { DASHES, INVISIBLE } from '@signalman/runtime'
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
const BEGIN_PATTERN = /-{1,20} {0,3}BEGIN (?:NEW )?CERTIFICATE (?:SIGNING )?REQUEST {0,3}-{1,20}/i
const END_PATTERN = /-{1,20} {0,3}END (?:NEW )?CERTIFICATE (?:SIGNING )?REQUEST {0,3}-/i
/** A header of old PEM files, such as `Comment: web-1`. */
const PEM_HEADER = /^[ \t]{0,3}[A-Za-z][A-Za-z-]{0,40}:.*$/gm

const OTHER_BEGIN_LINE = /BEGIN ([A-Z0-9 ]{1,40}?) {0,3}-/i

/** Finds the request in pasted text: PEM with or without line breaks, with text around it, or bare base64 of the DER. */
export function findRequest(pasted: string): FoundRequest {
  const text = normalizePasted(pasted)
  if (containsPrivateKey(text))
    return { problem: `${LEAKED_KEY_WARNING} Create a new key and a new request.` }
  const [, rest, ...more] = text.split(BEGIN_PATTERN)
  if (more.length > 0) return { problem: SEVERAL_REQUESTS }
  if (rest !== undefined) return decodeUntilEnd(rest)
  const other = OTHER_BEGIN_LINE.exec(text)
  if (!other) return decodeBareBase64(text)
  const [, label = ''] = other
  return { problem: `This is a ${label.toLowerCase()}. ${NO_REQUEST}` }
}

/** The file as text, and binary files as base64, which is read like bare base64 that somebody pasted. */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes
  // Without a byte order mark, every second byte of ASCII text is 0. A private key is found in each of these, too.
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0))
    return new TextDecoder('utf-16be').decode(bytes)
  if ((first === 0xff && second === 0xfe) || (second === 0 && first !== TAG.sequence))
    return new TextDecoder('utf-16le').decode(bytes)
  const text = bytes.toString('utf8')
  return BINARY.test(text) ? bytes.toString('base64') : text
}

/** Control characters that no text has. All DER has some, also short keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds them.
const BINARY = /[\0-\x08\x0e-\x1f]/

/** Decodes what stands after the BEGIN line. */
function decodeUntilEnd(text: string): FoundRequest {
  const end = END_PATTERN.exec(text)
  if (!end) return { problem: TRUNCATED }
  const der = decodeBase64(text.slice(0, end.index).replace(PEM_HEADER, ''))
  return der ? { der } : { problem: BROKEN }
}

/** The request as PEM, in lines of 64 characters. */
export const toPem = (der: Buffer): string =>
  `-----BEGIN ${LABEL}-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END ${LABEL}-----\n`

const ANY_DASH = new RegExp(`[${DASHES}]`, 'gu')
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')

/** Undoes common damage: phones turn hyphens into dashes, JSON turns line ends into `\n`, and mail puts `>` before lines. */
const normalizePasted = (pasted: string): string =>
  pasted
    .replace(ANY_DASH, '-')
    .replace(/\\r|\\n/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(INVISIBLES, '')
    .replace(/\u00a0/g, ' ')

function decodeBareBase64(text: string): FoundRequest {
  const der = decodeBase64(text)
  return der ? { der } : { problem: NO_REQUEST }
}

/** The bytes of base64, with any white space; undefined if it isn't base64. */
function decodeBase64(base64: string): Buffer | undefined {
  const text = base64.replace(/\s+/g, '').replace(/={1,3}$/, '')
  const isBase64 = text.length > 40 && text.length % 4 !== 1 && /^[A-Za-z0-9+/]+$/.test(text)
  return isBase64 ? Buffer.from(text, 'base64') : undefined
}
