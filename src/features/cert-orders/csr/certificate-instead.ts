import { X509Certificate } from 'node:crypto'
import { newRequest } from './advice.ts'

export const CERTIFICATE =
  'This is a certificate, not a request for one. Paste the CSR. A request for the same names, with the key that you have:'

export function bytesOf(base64: string): Buffer | undefined {
  const packed = base64.replace(/\s+/g, '').replace(/={1,3}$/, '')
  const isBase64 = packed.length > 40 && packed.length % 4 !== 1 && /^[A-Za-z0-9+/]+$/.test(packed)
  return isBase64 ? Buffer.from(packed, 'base64') : undefined
}

export function certificateOf(der: Buffer | undefined): X509Certificate | undefined {
  try {
    return der && new X509Certificate(der)
  } catch {
    return undefined
  }
}

/** Says how a request for the same names is made. */
export function certificateProblem(der: Buffer | undefined): string {
  const certificate = certificateOf(der)
  const names =
    certificate?.subjectAltName
      ?.split(', ')
      .map((name) => name.replace(/^(?:IP Address|email|\w+):/, kindOf)) ?? []
  const subject = certificate?.subject.replaceAll('\n', ', ') ?? ''
  return `${CERTIFICATE} ${newRequest(certificate && { subject, names })}`
}

const kindOf = (found: string): string =>
  found === 'IP Address:' ? 'IP ' : found === 'email:' ? 'e-mail ' : `${found.slice(0, -1)} `
