import { createPrivateKey, X509Certificate } from 'node:crypto'

/** What was found in pasted text: the DER of a request, or a sentence on why there is none and how to mend it. */
export type FoundRequest = { der: Buffer } | { problem: string }

const LEAKED =
  'This is a private key. It is not sent to the service and not kept here, but it has left your machine: treat it as leaked, and never use it. Make a new key and a request for it: openssl req -new -newkey rsa:2048 -nodes -keyout new.key -out new.csr -addext subjectAltName=DNS:www.example.com, then paste new.csr.'
const CERTIFICATE =
  'This is a certificate, not a request for one. Paste the CSR; openssl x509 -x509toreq -in old.crt -signkey your.key makes one from a certificate and its key.'
const NO_REQUEST =
  'No certificate signing request was found. Paste the whole text from -----BEGIN CERTIFICATE REQUEST----- to -----END CERTIFICATE REQUEST-----.'
const CUT_OFF =
  'The request is cut off: its END line is missing. Paste it whole; the field takes 3,000 characters, so upload the file of a request with very many names instead.'
const BROKEN =
  'The text between the BEGIN and END lines is damaged: it is not base64. Copy the file again, whole and unchanged.'
const SEVERAL = 'There is more than one request here. An order takes one: paste one of them.'

const LABEL = 'CERTIFICATE REQUEST'
// Every repetition is bounded or followed by what it cannot contain: pasted text must cost no more than its length.
const PRIVATE_KEY = /BEGIN[ \w]{0,60}PRIVATE[ _]KEY|PuTTY-User-Key-File|Private-Lines:/i
const REQUEST =
  /-{1,20} {0,3}BEGIN (?:NEW )?CERTIFICATE REQUEST {0,3}-{1,20}([^-]*)-{1,20} {0,3}END (?:NEW )?CERTIFICATE REQUEST {0,3}-/i
const BEGINS = /BEGIN (?:NEW )?CERTIFICATE REQUEST/gi
const OTHER_BEGINS = /BEGIN ([A-Z0-9 ]{1,40}?) {0,3}-/i

/** Finds the request in what was pasted: PEM with or without line breaks, with text around it, or bare base64 of the DER. */
export function findRequest(pasted: string): FoundRequest {
  const text = plainOf(pasted)
  if (holdsPrivateKey(text)) return { problem: LEAKED }
  const count = text.match(BEGINS)?.length ?? 0
  if (count > 1) return { problem: SEVERAL }
  const body = REQUEST.exec(text)?.[1]
  if (body !== undefined) return decoded(body, BROKEN)
  if (count > 0) return { problem: CUT_OFF }
  const other = OTHER_BEGINS.exec(text)?.[1]
  if (other)
    return { problem: /CERTIFICATE$/i.test(other) ? CERTIFICATE : `This is a ${other}. ${NO_REQUEST}` }
  return bare(text)
}

/** True for a private key in any of its usual forms: such text is never sent back to be typed on. */
export function holdsPrivateKey(pasted: string): boolean {
  const text = plainOf(pasted)
  if (PRIVATE_KEY.test(text)) return true
  const der = bytesOf(text)
  return der !== undefined && isPrivateKey(der)
}

/** The request as PEM, in lines of 64 characters. */
export function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${LABEL}-----`, ...lines, `-----END ${LABEL}-----`, ''].join('\n')
}

/** Phones make long dashes of hyphens, JSON makes `\n` of line ends, mail puts `>` before lines. */
const plainOf = (pasted: string): string =>
  pasted
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\\r|\\n/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(/[\u00a0\u200b-\u200d\u2060\ufeff]/g, ' ')

function bare(text: string): FoundRequest {
  const found = decoded(text, NO_REQUEST)
  return 'der' in found && isCertificate(found.der) ? { problem: CERTIFICATE } : found
}

function decoded(base64: string, problem: string): FoundRequest {
  const der = bytesOf(base64)
  return der ? { der } : { problem }
}

function bytesOf(base64: string): Buffer | undefined {
  const packed = base64.replace(/\s+/g, '').replace(/={1,3}$/, '')
  const isBase64 = packed.length > 40 && packed.length % 4 !== 1 && /^[A-Za-z0-9+/]+$/.test(packed)
  return isBase64 ? Buffer.from(packed, 'base64') : undefined
}

function isPrivateKey(der: Buffer): boolean {
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key: der, format: 'der', type })
      return true
    } catch (error) {
      // An encrypted one is recognised by the passphrase that it asks for.
      return error instanceof TypeError && 'code' in error && error.code === 'ERR_MISSING_PASSPHRASE'
    }
  })
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}
