import { domainToASCII, domainToUnicode } from 'node:url'
import { INVISIBLE } from '@signalman/runtime'
import { clip, oneLine, visible } from '@signalman/slack'

// Browsers and mail clients treat all of these as dots in a name (UTS #46). Dots at the end of a word aren't changed.
const DOT =
  /(?<=[^\s.\u3002\uff0e\uff61\u2024])([.\u3002\uff0e\uff61\u2024])(?=[^\s.\u3002\uff0e\uff61\u2024\],;:!?"'\u2019\u201d)}>])/g
const AT = /(?<=\S)([@\uff20\ufe6b])(?=[^\s\]])/g
const WEB_SCHEME = /h(tt)p(?=s?:)/gi
const OTHER_SCHEME = /(?<!(?<![a-z0-9+.-])hxxps?):(?=\/\/)/gi
const BARE_SCHEME = /(?<![a-z0-9])(javascript|vbscript|data|file|blob|mailto|tel|sms):(?=\S)/gi
const HEX_AND_COLONS = /(?<![\p{L}\p{N}_])[0-9a-f:]{3,}/giu

/**
 * Makes outside text safe to show: no client turns it into a link, and a copied address doesn't work. Examples:
 * `hxxps://exa[.]mple`, `a[@]exa[.]mple`, `192[.]0[.]2[.]1`, `2001[:]db8[:][:]1`. First makes invisible characters visible, because
 * they could hide a dot. Idempotent.
 */
export function defang(text: string): string {
  return visible(text)
    .replace(HEX_AND_COLONS, (run) => (looksLikeIPv6(run) ? run.replaceAll(':', '[:]') : run))
    .replace(WEB_SCHEME, (scheme) => scheme.replaceAll('t', 'x').replaceAll('T', 'X'))
    .replace(OTHER_SCHEME, '[:]')
    .replace(BARE_SCHEME, '$1[:]')
    .replace(DOT, '[$1]')
    .replace(AT, '[$1]')
}

/** Every IPv6 address has `::`, or at least six colons. Times and hardware addresses have fewer. */
const looksLikeIPv6 = (run: string): boolean =>
  /[0-9a-f]/i.test(run) && (run.includes('::') || run.split(':').length > 6)

/** Defangs outside text and puts it on one line of at most `max` characters. */
export const safeLine = (text: string, max: number): string => clip(defang(oneLine(clip(text, max))), max)

/** Defangs outside text of at most `max` characters, keeping its lines. */
export const safeText = (text: string, max: number): string => clip(defang(clip(text, max)).trim(), max)

/** Also joiners, which are useful in ordinary text, but deceptive in a name. */
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')

const showInvisible = (name: string): string =>
  name.replace(
    INVISIBLES,
    (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )

// DNS names have at most 253 characters. Anything longer is shown unconverted.
const MAX_NAME_LENGTH = 253
const MAX_ADDRESS_LENGTH = 2000

/** Defangs a domain. Shows its ASCII form first, then the Unicode spelling, which may deceive. */
export function safeDomain(domain: string, max = 300): string {
  const plain = domain.trim()
  const ascii = isInternational(plain) ? domainToASCII(plain) : ''
  if (ascii) return withSpelling(safeName(ascii, max), plain)
  return withSpelling(safeName(domain, max), findOtherSpelling(plain))
}

const isInternational = (domain: string): boolean =>
  domain.length <= MAX_NAME_LENGTH && /[^\x21-\x7e]/.test(domain)

function findOtherSpelling(domain: string): string | undefined {
  if (domain === '' || domain.length > MAX_NAME_LENGTH) return undefined
  if (isInternational(domain)) return domainToASCII(domain) || undefined
  if (!/(?:^|\.)xn--/i.test(domain)) return undefined
  const unicode = domainToUnicode(domain)
  return unicode.toLowerCase() === domain.toLowerCase() ? undefined : unicode || undefined
}

/** Defangs a URL, and adds its real host if the address disguises it. */
export function safeUrl(address: string, max = 350): string {
  const host = address.length <= MAX_ADDRESS_LENGTH ? URL.parse(address)?.hostname : undefined
  const shown = safeName(address, max)
  if (!host) return shown
  if (!address.toLowerCase().includes(`//${host}`)) return `${shown} (host: ${safeDomain(host, 120)})`
  return withSpelling(shown, findOtherSpelling(host))
}

const MAX_EMAIL_LENGTH = 200

/** Defangs an email address, and adds the other spelling of its domain. */
export function safeEmail(address: string): string {
  const at = clip(address, MAX_EMAIL_LENGTH).lastIndexOf('@')
  return withSpelling(
    safeName(address, MAX_EMAIL_LENGTH),
    at < 0 ? undefined : findOtherSpelling(address.slice(at + 1).trim()),
  )
}

const safeName = (name: string, max: number): string => safeLine(showInvisible(clip(name, max)), max)

const withSpelling = (shown: string, spelling: string | undefined): string =>
  spelling === undefined ? shown : `${shown} (${safeName(spelling, 160)})`

/** The normalized URL if it's on `origin` and has no credentials; otherwise undefined. Only such URLs are fetched. */
export function normalizeServiceUrl(address: string, origin: string): string | undefined {
  if (address.length > MAX_ADDRESS_LENGTH) return undefined
  const url = URL.parse(address)
  const isOwn = url?.origin === origin && /^https?:$/.test(url.protocol) && !url.username && !url.password
  // The normalized URL may be longer, because special characters are percent-encoded.
  return isOwn && url.href.length <= MAX_ADDRESS_LENGTH ? url.href : undefined
}
