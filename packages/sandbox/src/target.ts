import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Returns the host of a check's target, as an ASCII name or an address without brackets. A target is an IPv4 address, an IPv6 address, a
 * domain, or an http(s) URL. Returns undefined for anything else.
 */
export function readHost(target: string): string | undefined {
  if (/^https?:\/\//i.test(target)) return readUrlHost(target)
  if (isIP(target)) return target
  return isDomain(target) ? domainToASCII(target) : undefined
}

/**
 * Resolves a host without DNS, so that responses don't depend on the network. An IP address resolves to itself, a localhost name to
 * this machine, and any other name always to the same address from a range reserved for documentation (RFC 5737).
 */
export function simulateAddress(host: string): string {
  if (isIP(host)) return host
  if (/^(?:.+\.)?localhost\.?$/i.test(host)) return '127.0.0.1'
  const [byte = 0] = createHash('sha256').update(host.replace(/\.$/, '')).digest()
  return `192.0.2.${1 + (byte % 254)}`
}

function readUrlHost(target: string): string | undefined {
  const url = URL.parse(target)
  // A user name or password in a target would be visible to everyone who sees the check.
  if (!url || url.username || url.password) return undefined
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) || isDomain(host) ? host : undefined
}

function isDomain(text: string): boolean {
  if (/[\s/:@?#\\%[\]]/.test(text)) return false
  const ascii = domainToASCII(text).replace(/\.$/, '')
  const labels = ascii.split('.')
  // A numeric last label would be an invalid IPv4 address (WHATWG URL, section 3.5).
  return (
    ascii.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  )
}
