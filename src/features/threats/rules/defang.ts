import { domainToASCII, domainToUnicode } from 'node:url'
import { clip, oneLine, visible } from '@signalman/slack'

// Browsers and mail clients take all of these for the dot of a name (UTS #46). Dots at a word's end stay as they are.
const DOT =
  /(?<=[^\s.\u3002\uff0e\uff61\u2024])([.\u3002\uff0e\uff61\u2024])(?=[^\s.\u3002\uff0e\uff61\u2024\],;:!?"'\u2019\u201d)}>])/g
const AT = /(?<=\S)([@\uff20\ufe6b])(?=[^\s\]])/g
const WEB_SCHEME = /h(tt)p(?=s?:)/gi
const OTHER_SCHEME = /(?<!(?<![a-z0-9+.-])hxxps?):(?=\/\/)/gi
const BARE_SCHEME = /(?<![a-z0-9])(javascript|vbscript|data|file|blob|mailto|tel|sms):(?=\S)/gi
const HEX_AND_COLONS = /(?<![\p{L}\p{N}_])[0-9a-f:]{3,}/giu

/**
 * Outside text that no client turns into something to press, and that leads nowhere when copied: `hxxps://exa[.]mple`,
 * `a[@]exa[.]mple`, `192[.]0[.]2[.]1`, `2001[:]db8[:][:]1`. Invisible characters are made visible first, so none of them
 * can hide a dot. Defanging twice changes nothing more.
 */
export function defang(text: string): string {
  return visible(text)
    .replace(HEX_AND_COLONS, (run) => (isLikeIPv6(run) ? run.replaceAll(':', '[:]') : run))
    .replace(WEB_SCHEME, (scheme) => scheme.replaceAll('t', 'x').replaceAll('T', 'X'))
    .replace(OTHER_SCHEME, '[:]')
    .replace(BARE_SCHEME, '$1[:]')
    .replace(DOT, '[$1]')
    .replace(AT, '[$1]')
}

/** Every IPv6 address has `::`, seven colons, or six colons and a dotted end; times and hardware addresses have fewer. */
const isLikeIPv6 = (run: string): boolean =>
  /[0-9a-f]/i.test(run) && (run.includes('::') || run.split(':').length > 6)

/** Typed text without the brackets of defanged text: a domain, an address or any other words. */
export const refanged = (text: string): string =>
  text
    .trim()
    .replace(/\[([.:@\u3002\uff0e\uff61])\]/g, '$1')
    .replace(/\s?[[(]dot[\])]\s?/gi, '.')
    .replace(/^hxxp(?=s?:)/i, 'http')

/** One line of outside text, defanged, of at most `max` characters. */
export const safeLine = (text: string, max: number): string => clip(defang(oneLine(clip(text, max))), max)

/** Outside text with its lines, defanged, of at most `max` characters. */
export const safeText = (text: string, max: number): string => clip(defang(clip(text, max)).trim(), max)

/** Characters that are never drawn, joiners and fillers too: in a name they only deceive, elsewhere they have uses. */
const UNDRAWN = /\p{Default_Ignorable_Code_Point}/gu

const drawn = (name: string): string =>
  name.replace(
    UNDRAWN,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )

// The longest name that can be resolved has 253 characters; anything longer is shown, not converted.
const MAX_NAME = 253
const MAX_ADDRESS = 2000

/** A domain, defanged: as it is written on the wire first, and the spelling that deceives beside it. */
export function safeDomain(domain: string, max = 300): string {
  const plain = domain.trim()
  const wire = isInternational(plain) ? domainToASCII(plain) : ''
  if (wire) return withSpelling(safeName(wire, max), plain)
  return withSpelling(safeName(domain, max), otherSpelling(plain))
}

const isInternational = (domain: string): boolean => domain.length <= MAX_NAME && /[^\x21-\x7e]/.test(domain)

function otherSpelling(domain: string): string | undefined {
  if (domain === '' || domain.length > MAX_NAME) return undefined
  if (isInternational(domain)) return domainToASCII(domain) || undefined
  if (!/(?:^|\.)xn--/i.test(domain)) return undefined
  const unicode = domainToUnicode(domain)
  return unicode.toLowerCase() === domain.toLowerCase() ? undefined : unicode || undefined
}

/** A web address, defanged, with its real host when the address disguises that. */
export function safeUrl(address: string, max = 350): string {
  const host = address.length <= MAX_ADDRESS ? URL.parse(address)?.hostname : undefined
  const shown = safeName(address, max)
  if (!host) return shown
  if (!address.toLowerCase().includes(`//${host}`)) return `${shown} (host: ${safeDomain(host, 120)})`
  return withSpelling(shown, otherSpelling(host))
}

/** An email address, defanged, with the other spelling of its domain. */
export function safeEmail(address: string, max = 320): string {
  const at = clip(address, max).lastIndexOf('@')
  return withSpelling(
    safeName(address, max),
    at < 0 ? undefined : otherSpelling(address.slice(at + 1).trim()),
  )
}

const safeName = (name: string, max: number): string => safeLine(drawn(clip(name, max)), max)

const withSpelling = (shown: string, spelling: string | undefined): string =>
  spelling === undefined ? shown : `${shown} (${safeName(spelling, 160)})`

/** The address in its normal form when it is on `origin` and hides nothing; the only kind that is linked. */
export function ownAddress(address: string, origin: string): string | undefined {
  if (address.length > MAX_ADDRESS) return undefined
  const url = URL.parse(address)
  const isOwn = url?.origin === origin && /^https?:$/.test(url.protocol) && !url.username && !url.password
  // The normal form may be longer than the text: each odd character becomes three or more.
  return isOwn && url.href.length <= MAX_ADDRESS ? url.href : undefined
}
