import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import type { Csr } from './csr/csr.ts'
import { formatName, type RequestedName } from './csr/names.ts'

/** A name in a request. */
interface OrderName {
  /** In the one spelling that the comparison, titles, and counts use. */
  text: string
  /** The host or IP address that the allowed domains apply to. Undefined for anything else, such as a person or `w*.example.com`. */
  host?: string | undefined
  /** It's in the subject, but isn't a name of the certificate, such as an email address. */
  isInSubjectOnly?: true
}

/** Every name that a request asks for, without duplicates. */
function listOrderNames(csr: Pick<Csr, 'subjectParts' | 'names'>): OrderName[] {
  // A common name is usually one of the alternative names too.
  const byText = new Map<string, OrderName>()
  const add = (name: OrderName): void => {
    const key = `${name.host} ${name.text}`
    if (!byText.has(key)) byText.set(key, name)
  }
  const listParts = (label: string): string[] =>
    csr.subjectParts.flatMap((part) => (part.label === label ? [part.text] : []))
  listParts('CN').map(parseCommonName).forEach(add)
  csr.names.map(parseAlternativeName).forEach(add)
  for (const text of listParts('E')) add({ ...parseEmail(text), isInSubjectOnly: true })
  const components = listParts('DC')
  if (components.length > 0) add({ ...parseDomainComponents(components), isInSubjectOnly: true })
  for (const { label, text } of csr.subjectParts) {
    const host = READ_OR_PLACE.has(label) ? undefined : findHost(text)
    if (host) add({ text: `${label} ${text}`, host, isInSubjectOnly: true })
  }
  return [...byText.values()]
}

/** The parts that are read above, and those that name a place, such as St.Gallen. */
const READ_OR_PLACE: ReadonlySet<string> = new Set(
  'CN E DC C L ST street postalCode jurisdictionC jurisdictionL jurisdictionST'.split(' '),
)

/** The host that a whole text names, as a host, an IP address, a URL, or an email address. People put them into any part of a subject. */
function findHost(text: string): string | undefined {
  const typed = text.trim()
  const { host } = isIP(typed)
    ? { host: typed }
    : typed.includes('://')
      ? parseUrl(typed)
      : typed.includes('@')
        ? parseEmail(typed)
        : parseHostName(typed)
  return host?.includes('.') || isIP(host ?? '') ? host : undefined
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

/** The names that a certificate would be for, in one spelling. */
export const listCertificateNames = (csr: Pick<Csr, 'subjectParts' | 'names'>): OrderName[] =>
  listOrderNames(csr).filter(({ isInSubjectOnly }) => !isInSubjectOnly)

const parseCommonName = (text: string): OrderName =>
  isIP(text) ? { text: `IP ${text}`, host: text } : parseHostName(text)

const HOST_PATTERN = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** A host in lower case, with A-labels, and without a trailing dot; undefined if it isn't one. */
export function toHost(input: string): string | undefined {
  const text = input.length <= 255 ? input.toLowerCase().replace(/\.$/, '') : ''
  const ascii = /^\p{ASCII}*$/u.test(text) ? text : domainToASCII(text)
  return ascii.length <= 253 && HOST_PATTERN.test(ascii) && !/^[\d.]+$/.test(ascii) ? ascii : undefined
}

/** Reads a host name. Only the whole first label may be a wildcard. */
function parseHostName(input: string): OrderName {
  const isWildcard = input.startsWith('*.')
  const host = toHost(isWildcard ? input.slice(2) : input)
  if (host === undefined) return { text: input }
  return { text: isWildcard ? `*.${host}` : host, host }
}

function parseEmail(text: string): OrderName {
  const host = text.includes('@') ? toHost(text.slice(text.lastIndexOf('@') + 1)) : undefined
  return { text: `email ${text}`, host }
}

function parseUrl(text: string): OrderName {
  const hostname = (URL.parse(text)?.hostname ?? '').replace(/^\[|\]$/g, '')
  return { text: `URL ${text}`, host: isIP(hostname) ? hostname : toHost(hostname) }
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
  csr: Pick<Csr, 'subjectParts' | 'names'>,
  domains: readonly string[],
): string[] =>
  domains.length === 0
    ? []
    : listOrderNames(csr)
        .filter(({ host }) => !isUnder(host, domains))
        .map(({ text }) => text)

const isUnder = (host: string | undefined, domains: readonly string[]): boolean =>
  host !== undefined &&
  domains.some((domain) => host === domain || (!isIP(host) && host.endsWith(`.${domain}`)))

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
  if (isIP(text)) return text.toLowerCase()
  const host = toHost(text)
  return host?.includes('.') ? host : undefined
}
