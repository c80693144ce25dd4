import { type IsListedKey, NONE_LISTED } from '../../../domain/listed-keys.ts'
import { yieldWhenDue } from '../../../turns.ts'
import { collectNotes, examine, type ReadCsr } from './csr.ts'
import { findRequest } from './pem.ts'

/** Far more than a request with hundreds of names takes. */
export const MOST_CSR_BYTES = 64 * 1024

const TOO_LARGE =
  'This file is too large for a certificate signing request: at most 64 KB are taken. Upload the .csr file alone.'

/**
 * Reads an uploaded request: PEM in any of its forms, UTF-16 as Windows tools write it, or DER. Lets requests in between the
 * names, of which there may be thousands.
 */
export async function readCsrFile(bytes: Buffer, isListed: IsListedKey = NONE_LISTED): Promise<ReadCsr> {
  if (bytes.length > MOST_CSR_BYTES) return { problem: TOO_LARGE }
  await yieldWhenDue()
  const found = findRequest(textOf(bytes))
  if ('problem' in found) return found
  await yieldWhenDue()
  const read = examine(found.der, isListed)
  if ('problem' in read) return read
  const { add, notes } = collectNotes()
  for (const name of read.csr.names) {
    await yieldWhenDue()
    add(name)
  }
  return { csr: { ...read.csr, look: notes() } }
}

const SEQUENCE = 0x30

function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le')
  // DER is never plain text: the length that follows the tag of anything as long as a request has its high bit set.
  if (bytes[0] === SEQUENCE && (bytes[1] ?? 0) >= 0x80) return bytes.toString('base64')
  return bytes.toString('utf8')
}
