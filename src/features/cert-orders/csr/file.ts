import { type ReadCsr, readCsr } from './csr.ts'

/** Far more than a request with hundreds of names takes. */
export const MOST_CSR_BYTES = 64 * 1024

const TOO_LARGE =
  'This file is too large for a certificate signing request: at most 64 KB are taken. Upload the .csr file alone.'

/** Reads an uploaded request: PEM in any of its forms, UTF-16 as Windows tools write it, or DER. */
export function readCsrFile(bytes: Buffer): ReadCsr {
  if (bytes.length > MOST_CSR_BYTES) return { problem: TOO_LARGE }
  return readCsr(textOf(bytes))
}

const SEQUENCE = 0x30

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  // DER is never plain text: the length that follows the tag of anything as long as a request has its high bit set.
  if (bytes[0] === SEQUENCE && (bytes[1] ?? 0) >= 0x80) return bytes.toString('base64')
  return bytes.toString('utf8')
}
