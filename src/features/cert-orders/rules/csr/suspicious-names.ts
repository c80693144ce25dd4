import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { isPrivateAddress } from '../../../../domain/forbidden-addresses.ts'
import { formatName, type RequestedName } from './names.ts'

/** A name that a reviewer should look at, and why. */
export interface SuspiciousName {
  name: RequestedName
  why: readonly string[]
}

const PARSE_OPTIONS = {
  extractHostname: false,
  validateHostname: false,
  allowPrivateDomains: true,
} as const
const MAX_NAME_LENGTH = 253
const MAX_LABEL_LENGTH = 63
/** Names for private networks (RFC 6761, RFC 6762, RFC 7686, RFC 8375, and ICANN's 2018 decision on .corp, .home, and .mail). */
const LOCAL_NAMES =
  /(?:^|\.)(?:localhost[46]?|localdomain[46]?|ip6-(?:localhost|loopback)|local|internal|intranet|lan|home|corp|mail|private|home\.arpa|test|invalid|example|onion|alt)$/i

/** A name with its warning: `DNS *.com (a wildcard over all of .com)`. */
export function describeName(name: RequestedName): string {
  const why = findNameProblems(name)
  return why.length > 0 ? `${formatName(name)} (${why.join('; ')})` : formatName(name)
}

/** Why a reviewer should look at this name; empty if it's ordinary. */
export function findNameProblems({ kind, text }: RequestedName): string[] {
  if (kind === 'DNS') return findHostProblems(text)
  if (kind === 'IP') return [isIP(text) ? describeAddress(text) : NOT_AN_ADDRESS]
  const textWarnings = findTextProblems(text)
  if (kind === 'email')
    return [
      'an email address, not a host',
      ...textWarnings,
      ...findPrivateHostProblems(text.slice(text.lastIndexOf('@') + 1)),
    ]
  if (kind === 'URL')
    return ['a URL, not a host', ...textWarnings, ...findPrivateHostProblems(URL.parse(text)?.hostname ?? '')]
  return [`a name of type “${kind}”, which browsers ignore`, ...textWarnings]
}

const NOT_AN_ADDRESS = 'not an address: it has the wrong length'

/** Checks a common name or an alternative name that should be a host name. */
export function findHostProblems(value: string): string[] {
  if (value.length > MAX_NAME_LENGTH) return [TOO_LONG]
  const address = parseLooseAddress(value.replace(/^\*\.|\/\d+$/g, ''))
  if (address !== undefined)
    return [
      'an IP address written as a host name',
      ...(isPrivateAddress(address) ? [describeAddress(address)] : []),
    ]
  const problems = [...findTextProblems(value), ...findLookalikes(value), ...findSpellingProblems(value)]
  // An invalid host name has no suffix to check.
  if (problems.includes(NOT_A_HOST)) return problems
  const host = value
    .toLowerCase()
    .replace(/^\*(?:\.|$)/, '')
    .replace(/\.$/, '')
  return [...problems, ...findScopeProblems(value, host), ...findPunycodeProblems(host)]
}

const NOT_A_HOST = 'not a host name: it has characters that host names can’t have'
const TOO_LONG = 'longer than a host name can be'

/** Clients also read `127.1`, `0x7f000001`, and `2130706433` as IP addresses. */
const parseLooseAddress = (value: string): string | undefined =>
  [
    value,
    value.replace(/\.$/, ''),
    /^[0-9a-fx.[\]:]+$/i.test(value) ? (URL.parse(`http://${value}/`)?.hostname ?? '') : '',
  ]
    .map((text) => text.replace(/^\[|\]$/g, ''))
    .find((text) => isIP(text) !== 0)

function findSpellingProblems(value: string): string[] {
  if (/[^\x20-\x7e]/.test(value)) return ['non-ASCII letters, which have to be punycode', NOT_A_HOST]
  if (!/^[A-Za-z0-9.*_-]+$/.test(value)) return [NOT_A_HOST]
  const labels = value.replace(/\.$/, '').split('.')
  return [
    (value.slice(1).includes('*') || /^\*[^.]/.test(value)) && 'a wildcard that isn’t the first label',
    labels.some((label) => label === '') && 'an empty label',
    value.endsWith('.') && 'a trailing dot',
    value.includes('_') && 'an underscore: no public CA issues certificates for such a name',
    labels.some((label) => /^-|-$/.test(label)) && 'a label that begins or ends with a hyphen',
    labels.some((label) => label.length > MAX_LABEL_LENGTH) && TOO_LONG,
  ].filter((problem) => problem !== false)
}

/** Warns about wildcards that cover too much, and about names that aren't public. */
function findScopeProblems(value: string, host: string): string[] {
  const isWildcard = value.startsWith('*')
  if (/^[*.]*$/.test(host)) return ['a wildcard over everything']
  if (LOCAL_NAMES.test(host)) return [NOT_PUBLIC]
  const { publicSuffix, domain, isIcann, isPrivate } = parse(host, PARSE_OPTIONS)
  if (!host.includes('.')) {
    if (!isIcann) return [NOT_PUBLIC]
    return [isWildcard ? `a wildcard over all of .${host}` : 'a whole top-level domain']
  }
  const special = SPECIAL_NAMES.find(([pattern]) => pattern.test(host))
  if (special) return [special[1]]
  if (!isIcann && !isPrivate) return ['not under a public top-level domain']
  if (publicSuffix === host)
    return [
      isWildcard
        ? `a wildcard over ${PUBLIC_SUFFIX}: it covers everyone’s names under ${host}`
        : `${PUBLIC_SUFFIX}, where anyone can register names`,
    ]
  return isWildcard && !host.includes('*') ? [describeWildcard(domain === host)] : []
}

/** Warnings about private hosts in email addresses and URLs. */
const findPrivateHostProblems = (host: string): string[] =>
  findHostProblems(host).filter((problem) => problem === NOT_PUBLIC || problem === PRIVATE_ADDRESS)

const NOT_PUBLIC = 'a local name, for which no public CA issues certificates'
const PUBLIC_SUFFIX = 'a public suffix'
/** Reverse DNS names, and services whose names resolve to the IP address in the name or to this machine. */
const SPECIAL_NAMES: readonly (readonly [RegExp, string])[] = [
  [/\.arpa$/i, 'a reverse DNS name (arpa), for which no public CA issues certificates'],
  [
    /(?:^|\.)(?:nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me)$/i,
    'under a DNS service whose names can resolve to any address, including private ones',
  ],
]

const describeWildcard = (isRegistered: boolean): string =>
  `a wildcard${isRegistered ? ' over a whole registered domain' : ''} for every name directly below it`

/** Warns about international names whose letters look like Latin ones. */
function findPunycodeProblems(host: string): string[] {
  if (!/(?:^|\.)xn--/i.test(host)) return []
  const unicodeHost = domainToUnicode(host)
  // `domainToUnicode` returns names that it can't decode unchanged or empty.
  return unicodeHost && !/(?:^|\.)xn--/i.test(unicodeHost)
    ? [
        `punycode: browsers may show ${unicodeHost}, which is ${findScripts(unicodeHost).join(' and ') || 'not Latin'}`,
        ...findTextProblems(unicodeHost),
        ...findLookalikes(unicodeHost),
      ]
    : ['invalid punycode']
}

const PRIVATE_ADDRESS = 'a private or local address, for which no public CA issues certificates'
const describeAddress = (value: string): string =>
  isPrivateAddress(value) ? PRIVATE_ADDRESS : 'an address, not a name'

/** A number that some clients read as a private IP address. */
export const isPrivateNumber = (text: string): boolean =>
  /^(?:0x[0-9a-f]+|\d{8,})$/i.test(text) && findHostProblems(text).includes(PRIVATE_ADDRESS)

/**
 * Non-Latin letters, each with the Latin letter that it looks like. Unlike the check for mixed scripts, this also finds words without
 * any Latin letter.
 */
const LOOKALIKES = new Map(
  [...'асеорхуіјѕһԁԛԝұαικνορτυχγ'].map((letter, index) => [
    letter,
    'aceopxyijshdqwyaikvoptuxy'.charAt(index),
  ]),
)

function findLookalikes(host: string): string[] {
  const latinText = [...host.toLowerCase()].map((letter) => LOOKALIKES.get(letter) ?? letter).join('')
  return latinText !== host.toLowerCase() && /^[\x21-\x7e]+$/.test(latinText)
    ? [`letters that look like ${latinText}`]
    : []
}

/** Characters that are invisible, that reverse text, or where some parsers stop. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|[\ufe00-\ufe0f]/u

/** Why a text in a request may not be what it looks like. */
export function findTextProblems(text: string): string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return []
  const scripts = findMixedScripts(text)
  return [
    text.includes('\0') && 'it contains a NUL, and some programs ignore everything after it',
    INVISIBLE.test(text.replaceAll('\0', '')) &&
      'it has invisible characters, or characters that reverse the reading direction',
    scripts.length > 0 && `letters of several scripts in one word (${scripts.join(', ')}), which look alike`,
    text.normalize('NFKC') !== text.normalize('NFC') && 'characters that look like others',
  ].filter((problem) => problem !== false)
}

const toScriptPatterns = (names: readonly string[]) =>
  names.map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }))
/**
 * Scripts with letters that look like those of another script. Leaves out Chinese, Japanese, and Korean, which are commonly
 * mixed with Latin (UTS 39, 5.2).
 */
const SCRIPTS = toScriptPatterns([
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Lisu',
  'Tifinagh',
])

const ALL_SCRIPTS = [
  ...SCRIPTS,
  ...toScriptPatterns(['Han', 'Hiragana', 'Katakana', 'Hangul', 'Ethiopic', 'Bengali', 'Tamil']),
]

/** The scripts of all non-ASCII letters: `Cyrillic`. */
function findScripts(text: string): string[] {
  const letters = text.replace(/\p{ASCII}/gu, '')
  return ALL_SCRIPTS.filter(({ pattern }) => pattern.test(letters)).map(({ name }) => name)
}

function findMixedScripts(text: string): string[] {
  for (const word of text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const found = SCRIPTS.filter(({ pattern }) => pattern.test(word))
    if (found.length > 1) return found.map(({ name }) => name)
  }
  return []
}
