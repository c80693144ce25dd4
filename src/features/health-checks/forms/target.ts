import { isIP } from 'node:net'

const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?$/u
/** A name whose last part is a number is read as an address by whoever looks it up (https://url.spec.whatwg.org/#ends-in-a-number-checker). */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/i
const SCHEME = /^(https?):$/

/** What is wrong with a target, as a sentence that never repeats it: it may hold a password. */
export function faultOfTarget(target: string, protocol: string | undefined): string | undefined {
  if (!target) return 'Give an IP address, a domain or a URL.'
  if (isIP(target) !== 0 || isDomain(target)) return undefined
  if (isNumeric(target)) return 'This is no IPv4 address: it has four numbers from 0 to 255, e.g. 192.0.2.10.'
  const url = URL.parse(target)
  const scheme = SCHEME.exec(url?.protocol ?? '')?.[1]
  if (!url || !scheme)
    return 'This is no IP address, domain or URL, e.g. 192.0.2.10, shop.example.com or https://shop.example.com/health.'
  if (url.username || url.password)
    return 'A target must not hold a user name or a password: everyone who may look would read it.'
  if (!isHost(url.hostname, target)) return 'There is no domain and no IP address in this URL.'
  if (protocol === 'TCP') return 'TCP takes an IP address or a domain; a URL needs HTTP or HTTPS.'
  if (protocol !== undefined && protocol.toLowerCase() !== scheme)
    return `The target begins with ${scheme}:// and the protocol is ${protocol}: make them the same.`
  return undefined
}

/** Whether somebody's password may stand in it. */
export const mayHoldPassword = (target: string): boolean => target.includes('@')

function isDomain(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '')
}

const isNumeric = (text: string): boolean => text.split('.').every((part) => NUMBER.test(part))

/** `https://1.2.3` would be read as 1.2.0.3: an address has to stand there as it is. */
function isHost(hostname: string, typed: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (isIP(bare) === 4) return typed.includes(bare)
  return isIP(bare) === 6 || isDomain(hostname)
}
