import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'

/** The kinds of indicators, spelled as in the `kind` column of the CSV export. */
export type IndicatorKind = 'domain' | 'url' | 'ipv4' | 'ipv6' | 'as'

/** A value in canonical form, so that its different spellings become one indicator. */
export interface IndicatorValue {
  kind: IndicatorKind
  value: string
}

const MAX_DOMAIN = 253
const MAX_URL = 4000
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`)

/** Parses a domain or IP address. Returns a domain in lowercase and punycode (RFC 5890), without a final dot. */
export function parseHost(text: string | undefined): IndicatorValue | undefined {
  if (!text || text.length > MAX_URL) return undefined
  const plain = text.trim().replace(/\.$/, '')
  const ip = parseIp(plain)
  if (ip) return ip
  // DNS names may contain underscores, which the conversion would reject.
  const ascii = /^[\x21-\x7e]+$/.test(plain) && plain.includes('_') ? plain : domainToASCII(plain)
  const value = ascii.toLowerCase()
  const isDomain = value.length <= MAX_DOMAIN && DOMAIN.test(value) && !/\.\d+$/.test(value)
  return isDomain ? { kind: 'domain', value } : undefined
}

/** Parses an IP address. Returns IPv6 in its short form (RFC 5952). */
export function parseIp(text: string | undefined): IndicatorValue | undefined {
  const plain = text?.trim() ?? ''
  if (isIPv4(plain)) return { kind: 'ipv4', value: plain }
  if (!isIPv6(plain) || plain.includes('%')) return undefined
  const host = URL.parse(`http://[${plain}]/`)?.hostname
  return host ? { kind: 'ipv6', value: host.slice(1, -1) } : undefined
}

/** The host of a URL. */
export const parseUrlHost = (url: string | undefined): IndicatorValue | undefined =>
  parseHost(URL.parse(url ?? '')?.hostname.replace(/^\[|\]$/g, ''))

/** What a URL names on its host; `/` for the home page. Sites also name their pages behind a `#`. */
export const readPage = ({ pathname, search, hash }: URL): string => pathname + search + hash

/** Characters that RFC 3986 requires to be encoded and that the URL parser doesn't encode. */
const NOT_IN_A_URI = /[^\x21-\x7e]|["<>\\^`{|}]|%(?![0-9a-f]{2})/gi

/** Parses a web or FTP address into its canonical form, valid by RFC 3986. */
export function parseUrl(text: string | undefined): IndicatorValue | undefined {
  if (!text || text.length > MAX_URL) return undefined
  const url = URL.parse(text)
  if (!url?.hostname || !/^(?:https?|ftp):$/.test(url.protocol)) return undefined
  const [upToHost, afterHost] = splitAfterHost(url)
  // Browsers accept a second `#`, but in a URI it must be encoded.
  const escaped = afterHost.replace(/[[\]]/g, percentEncode).replace(/(?<=#.*)#/g, percentEncode)
  const encoded = (upToHost + escaped).replace(NOT_IN_A_URI, percentEncode)
  return encoded.length <= MAX_URL ? { kind: 'url', value: encoded } : undefined
}

/** Splits a URL after its host. Brackets are valid only around an IPv6 host, so those in the rest must be encoded. */
function splitAfterHost(url: URL): [string, string] {
  const end = url.href.length - url.pathname.length - url.search.length - hashLength(url)
  return [url.href.slice(0, end), url.href.slice(end)]
}

/** `hash` is empty for a single `#` at the end, which stays in the URL. */
const hashLength = ({ href, hash }: URL): number => (hash === '' && href.endsWith('#') ? 1 : hash.length)

const percentEncode = (text: string): string =>
  [...Buffer.from(text.toWellFormed())]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')

/** Parses the number of an autonomous system (32 bits, RFC 6793), with or without `AS` before it. */
export function parseAsNumber(text: string | undefined): IndicatorValue | undefined {
  const digits = /^(?:ASN?)?\s*(\d{1,10})$/i.exec(text?.trim() ?? '')?.[1]
  const number = Number(digits)
  return digits && number <= 0xff_ff_ff_ff ? { kind: 'as', value: String(number) } : undefined
}
