import { getDomain } from 'tldts'
import { ipOf } from '../indicators/values.ts'

/** The registered name that the host belongs to. */
export const registeredOf = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host

/** The host and each of its parents, down to the registered name. */
export function namesOver(host: string): string[] {
  const registered = registeredOf(host)
  const beyond = host.length - registered.length
  const cuts = [...host.slice(0, Math.max(0, beyond)).matchAll(/\./g)].map(({ index }) => index + 1)
  return [host, ...cuts.map((cut) => host.slice(cut))]
}

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** An IP address in any notation of browsers: `0xC0.0.2.1`, `3221225985`, with a port, in brackets, IPv4 in IPv6. */
export function addressIn(text: string | undefined): string | undefined {
  const plain = text?.trim() ?? ''
  const found = ipOf(plain) ?? (/[\s/@?#]/.test(plain) ? undefined : ipOf(hostnameOf(plain)))
  const [, high, low] = MAPPED.exec(found?.value ?? '') ?? []
  if (!high || !low) return found?.value
  const bits = Number.parseInt(high, 16) * 0x1_00_00 + Number.parseInt(low, 16)
  return hostnameOf(String(bits))
}

const hostnameOf = (text: string): string | undefined =>
  URL.parse(`http://${text}/`)?.hostname.replace(/^\[|\]$/g, '')

/** The letters and digits of a text, without accents; undefined when it has none. */
export function lettersIn(text: string): string | undefined {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  return letters === '' ? undefined : letters
}
