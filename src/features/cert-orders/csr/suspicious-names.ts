import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'

/** A name that deserves a look, and why. */
export interface NameNote {
  name: string
  why: readonly string[]
}

const PUBLIC_SUFFIXES = {
  extractHostname: false,
  validateHostname: false,
  allowPrivateDomains: true,
} as const
const LONGEST_NAME = 253
const LONGEST_LABEL = 63
/** Names that are never resolved outside of one's own network (RFC 6761, RFC 6762, RFC 8375, ICANN 2018 on .corp and .home). */
const LOCAL =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid|example)$/i
/** Signs that no client draws, or that turn around what stands behind them. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/** A name with what is easily overlooked about it: `DNS *.com (a wildcard over all of .com)`. */
export function noted(name: string): string {
  const why = lookAt(name)
  return why.length > 0 ? `${name} (${why.join('; ')})` : name
}

/** Why a name as the request has it (`DNS *.example.com`) deserves a look; empty when it does not. */
export function lookAt(name: string): string[] {
  const [, kind = '', value = ''] = /^(object id|\S+) (.*)$/s.exec(name) ?? []
  if (kind === 'DNS') return lookAtHost(value)
  if (kind === 'IP') return [lookAtAddress(value)]
  if (kind === 'e-mail') return ['an e-mail address, not a host']
  if (kind === 'URL') return ['an address of a page, not a host']
  return [`a name of the kind “${kind}”, which browsers do not look at`]
}

function lookAtHost(value: string): string[] {
  if (isIP(value)) return ['an IP address written as a host name']
  const why = spellingOf(value)
  // What is no host name has no suffix either.
  if (why.some((one) => one === NO_HOST)) return why
  const host = value.replace(/^\*(?:\.|$)/, '')
  return [...why, ...scopeOf(value, host), ...punycode(host)]
}

const NO_HOST = 'no host name: it holds signs that no host name has'

function spellingOf(value: string): string[] {
  if (UNSEEN.test(value))
    return ['it holds invisible signs, or such as turn around the reading direction', NO_HOST]
  if (/[^\x20-\x7e]/.test(value)) return ['letters beyond ASCII, which belong into punycode', NO_HOST]
  if (!/^[A-Za-z0-9.*_-]+$/.test(value)) return [NO_HOST]
  const labels = value.replace(/\.$/, '').split('.')
  return [
    ...(value.slice(1).includes('*') || /^\*[^.]/.test(value)
      ? ['a wildcard that is not its first label']
      : []),
    ...(labels.some((label) => label === '') ? ['an empty label'] : []),
    ...(value.endsWith('.') ? ['a dot at its end'] : []),
    ...(value.includes('_') ? ['an underscore, which no authority certifies'] : []),
    ...(value.length > LONGEST_NAME || labels.some((label) => label.length > LONGEST_LABEL)
      ? ['longer than a host name can be']
      : []),
  ]
}

/** How much of the world the name is for. */
function scopeOf(value: string, host: string): string[] {
  const isWildcard = value.startsWith('*')
  if (host === '') return ['a wildcard over everything']
  if (LOCAL.test(host) || !host.includes('.')) {
    const isSuffix = !LOCAL.test(host) && parse(host, PUBLIC_SUFFIXES).isIcann
    if (isSuffix) return [isWildcard ? `a wildcard over all of .${host}` : 'a whole top-level domain']
    return ['a local name, which no public authority certifies']
  }
  const { publicSuffix, isIcann, isPrivate } = parse(host, PUBLIC_SUFFIXES)
  if (!isIcann && !isPrivate) return ['under no public top-level domain']
  if (publicSuffix !== host.toLowerCase().replace(/\.$/, '')) return []
  return [
    isWildcard
      ? `a wildcard over a public suffix: everybody’s names under ${host}`
      : 'a public suffix, under which everybody can have names',
  ]
}

/** What browsers show of an international name: letters of other scripts look like Latin ones. */
function punycode(host: string): string[] {
  if (!/(?:^|\.)xn--/i.test(host)) return []
  const shown = domainToUnicode(host)
  // What does not decode is given back as it is.
  return [
    shown && !/(?:^|\.)xn--/i.test(shown)
      ? `punycode: browsers show ${shown}`
      : 'punycode that cannot be read',
  ]
}

const PRIVATE =
  /^(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)|^(?:::1?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i

function lookAtAddress(value: string): string {
  if (!isIP(value)) return 'no address: it has another length than addresses have'
  return PRIVATE.test(value)
    ? 'an address of one’s own network, which no public authority certifies'
    : 'an address, not a name'
}
