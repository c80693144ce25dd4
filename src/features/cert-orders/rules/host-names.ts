import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { type DescribedAttribute, findUnusualAttributes } from './csr/attributes.ts'
import { formatName, type RequestedName, type SubjectPart } from './csr/names.ts'

/** The parts of a request that have the names of the certificate. */
interface NamedParts {
  readonly subjectParts: readonly SubjectPart[]
  readonly names: readonly RequestedName[]
}

/** A name in a request. */
interface OrderName {
  /** In the one spelling that the comparison, titles, and counts use. */
  text: string
  /** The host or IP address that the allowed domains apply to. Undefined for anything else, such as a person or `w*.example.com`. */
  host?: string | undefined
}

/** The names that a certificate would be for, in one spelling and without duplicates: a common name is usually one of the others too. */
export const listCertificateNames = (csr: NamedParts): OrderName[] =>
  withoutDuplicates([...listParts(csr, 'CN').map(parseCommonName), ...csr.names.map(parseAlternativeName)])

/** What else a subject names: email addresses, a domain in components, and the hosts in its other parts. */
function listSubjectHosts(csr: NamedParts): OrderName[] {
  const components = listParts(csr, 'DC')
  return withoutDuplicates([
    ...listParts(csr, 'E').map(parseEmail),
    ...(components.length > 0 ? [parseDomainComponents(components)] : []),
    ...csr.subjectParts
      .filter(({ label }) => !READ_ABOVE.includes(label))
      .flatMap(({ label, text }) =>
        // Not with the part's whole text, which may be as long as the request.
        findHosts(text, PLACES.has(label)).map((host) => ({ text: `${label} ${host}`, host })),
      ),
  ])
}

const listParts = ({ subjectParts }: NamedParts, label: string): string[] =>
  subjectParts.flatMap((part) => (part.label === label ? [part.text] : []))

const withoutDuplicates = (names: readonly OrderName[]): OrderName[] => [
  ...new Map(names.map((name) => [`${name.host} ${name.text}`, name])).values(),
]

const READ_ABOVE: readonly string[] = ['CN', 'E', 'DC']
/** The parts that may name a place, such as St.Gallen. */
const PLACES: ReadonlySet<string> = new Set(
  'C L ST street postalCode jurisdictionC jurisdictionL jurisdictionST'.split(' '),
)

/**
 * The hosts that a text names, which people put into any part of a subject: a host or an address that stands alone, and among words what
 * can't be anything else, such as a URL, an email address, or `www.example.com`.
 */
function findHosts(text: string, isPlace: boolean): string[] {
  const words = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
    .split(/[\s,;()<>"']+/)
    .filter(Boolean)
  return words.flatMap((word) => {
    if (word.includes('://')) return readUrlHost(word) ?? []
    if (word.includes('@')) return toHost(word.slice(word.lastIndexOf('@') + 1)) ?? []
    const bare = word.replace(/^[a-z]*:?\/\/|^[*.]+|[/?#].*$|:\d+$|[[\]]/gi, '')
    const ip = toIp(bare)
    if (ip) return ip
    const isAlone = words.length === 1 && !isPlace
    const host = isAlone || /^(?:\*\.|www\.)/i.test(word) ? toHost(bare) : undefined
    return host?.includes('.') ? host : []
  })
}

function parseAlternativeName(name: RequestedName): OrderName {
  switch (name.kind) {
    case 'DNS':
      return parseHostName(name.text)
    case 'email':
      return parseEmail(name.text)
    case 'URL':
      return parseUrl(name.text)
    case 'IP':
      return { text: formatName(name), host: name.text }
    default:
      return { text: formatName(name) }
  }
}

const toRegistered = (host: string): string => parse(host).domain ?? host

/** The parts of a subject, besides the names of the certificate, that name a host under none of the domains of those names. */
export function listOtherHosts(csr: NamedParts): string[] {
  const own = new Set(
    listCertificateNames(csr).flatMap(({ host }) => (host === undefined ? [] : toRegistered(host))),
  )
  return listSubjectHosts(csr).flatMap(({ text, host }) =>
    host !== undefined && !own.has(toRegistered(host)) ? text : [],
  )
}

const parseCommonName = (text: string): OrderName => {
  const ip = toIp(text)
  return ip ? { text: `IP ${ip}`, host: ip } : parseHostName(text)
}

/** An IP address in one spelling, that of RFC 5952; undefined if it isn't one. */
function toIp(text: string): string | undefined {
  if (isIP(text) !== 6) return isIP(text) ? text : undefined
  return URL.parse(`http://[${text}]`)?.hostname.slice(1, -1)
}

const HOST_PATTERN = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * A host in lower case, with A-labels, and without a trailing dot. Undefined if it isn't one, or is spelled in a way that other software
 * may read differently, such as with invisible characters.
 */
export function toHost(input: string): string | undefined {
  const text = input.length <= 255 ? input.toLowerCase().replace(/\.$/, '') : ''
  const isAscii = /^\p{ASCII}*$/u.test(text)
  const ascii = isAscii ? text : domainToASCII(text)
  if (!isAscii && domainToUnicode(ascii) !== text.normalize('NFC')) return undefined
  return ascii.length <= 253 && HOST_PATTERN.test(ascii) && !/^[\d.]+$/.test(ascii) ? ascii : undefined
}

/** Reads a host name. Only the whole first label may be a wildcard. */
function parseHostName(input: string): OrderName {
  const isWildcard = input.startsWith('*.')
  const host = toHost(isWildcard ? input.slice(2) : input)
  if (host === undefined) return { text: input }
  return { text: isWildcard ? `*.${host}` : host, host }
}

/** An address or URL that can be read in two ways has no host, so no domain allows it. */
function parseEmail(text: string): OrderName {
  const [, host = '', ...more] = text.split('@')
  return { text: `email ${text}`, host: more.length > 0 ? undefined : toHost(host) }
}

function parseUrl(text: string): OrderName {
  const isPlain = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\\]*(?:[/?#]|$)/i.test(text)
  return { text: `URL ${text}`, host: isPlain ? readUrlHost(text) : undefined }
}

function readUrlHost(text: string): string | undefined {
  const isAscii = /^[\x21-\x7e]*$/.test(text)
  const hostname = ((isAscii && URL.parse(text)?.hostname) || '').replace(/^\[|\]$/g, '')
  return toIp(hostname) ?? toHost(hostname)
}

/** RFC 2247 puts the top-level domain first; some tools put it last. The sequence that ends in a public suffix counts. */
function parseDomainComponents(components: readonly string[]): OrderName {
  const host = [components.toReversed(), components]
    .map((parts) => toHost(parts.join('.')))
    .find((candidate) => candidate !== undefined && parse(candidate).isIcann)
  return { text: `DC ${host ?? components.join(', ')}`, host }
}

/** The names that aren't under one of the domains, of which an empty list allows all. An IP address has to be listed itself. */
export const findForeignNames = (
  csr: NamedParts & { readonly attributes: readonly DescribedAttribute[] },
  domains: readonly string[],
): string[] => {
  if (domains.length === 0) return []
  const allowed = new Set(domains)
  const names = [
    ...listCertificateNames(csr),
    ...listSubjectHosts(csr),
    ...listAttributeNames(csr.attributes),
  ]
  const foreign = names.filter(({ host }) => host === undefined || !isUnder(host, allowed))
  return [...new Set(foreign.map(({ text }) => text))]
}

/** The hosts that attributes name, such as `SAN: dns=www.example.com`, which the authority of Windows may add to a certificate. */
const listAttributeNames = (attributes: readonly DescribedAttribute[]): OrderName[] =>
  findUnusualAttributes(attributes)
    .flatMap(({ values }) => values.flatMap((value) => value.split(/[\s,;=&]+/)))
    .flatMap((word) => findHosts(word, false))
    .filter((host) => isIP(host) > 0 || parse(host).isIcann)
    .map((host) => ({ text: host, host }))

/** A request may have hundreds of names, and a policy hundreds of domains: looks up the host, and what is behind each of its dots. */
function isUnder(host: string, domains: ReadonlySet<string>): boolean {
  if (domains.has(host)) return true
  const dot = host.indexOf('.')
  return dot !== -1 && isUnder(host.slice(dot + 1), domains)
}

/**
 * Converts a domain or an IP address typed into a policy to one spelling; undefined if it's invalid, has only one label, or is a public
 * suffix such as co.uk or github.io, under which anyone can have names.
 */
export function parseDomain(input: string): string | undefined {
  const domain = formatDomain(input)
  const isSuffix =
    domain !== undefined && parse(domain, { allowPrivateDomains: true }).publicSuffix === domain
  return isSuffix ? undefined : domain
}

/** The same, and public suffixes too: what was saved stays readable when the list of suffixes changes. */
export function formatDomain(input: string): string | undefined {
  const text = input.trim().replace(/^(?:\*\.|\.)/, '')
  const host = toHost(text)
  return toIp(text) ?? (host?.includes('.') ? host : undefined)
}
