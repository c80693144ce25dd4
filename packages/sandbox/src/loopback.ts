import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether an IP address belongs to this machine: 127.0.0.0/8 (also as ::ffff:127.0.0.1) or ::1. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Whether a name is `localhost` or a subdomain of it, which always mean this machine (RFC 6761, section 6.3). */
export function isLocalhostName(name: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(name)
}

/** Whether the host of a URL or a Host header is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? ''
  return isLoopbackAddress(name) || isLocalhostName(name)
}
