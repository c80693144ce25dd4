import { isIP } from 'node:net'
import { type Csr, listCommonNames } from './csr/csr.ts'
import { formatName } from './csr/names.ts'

/** A requested name, classified for the policy. */
export type OrderName =
  /** `text` is lowercase; `host` is the same without a leading `*.`. */
  | { kind: 'host'; text: string; host: string; isWildcard: boolean }
  /** An IP address, an email address, or a URL. */
  | { kind: 'other'; text: string }
  /** Anything else, such as a person or `w*.example.com`. */
  | { kind: 'unrecognized'; text: string }

/** All names that a certificate may get: the common names and the alternative names, without duplicates. */
export function listOrderNames(csr: Pick<Csr, 'subjectParts' | 'names'>): OrderName[] {
  // A common name is usually one of the alternative names too.
  const byText = new Map<string, OrderName>()
  const add = (name: OrderName) => byText.set(`${name.kind} ${name.text}`, name)
  for (const text of listCommonNames(csr))
    add(isIP(text) ? { kind: 'other', text: `IP ${text}` } : parseHostName(text))
  for (const name of csr.names) {
    if (name.kind === 'DNS') add(parseHostName(name.text))
    else add({ kind: OTHER_KINDS.has(name.kind) ? 'other' : 'unrecognized', text: formatName(name) })
  }
  return [...byText.values()]
}

const OTHER_KINDS = new Set(['IP', 'email', 'URL'])

const HOST_PATTERN = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Reads a host name. Only the whole first label may be a wildcard. */
function parseHostName(input: string): OrderName {
  const text = input.toLowerCase().replace(/\.$/, '')
  const isWildcard = text.startsWith('*.')
  const host = isWildcard ? text.slice(2) : text
  const isHost = input.length <= 255 && HOST_PATTERN.test(host) && !/^[\d.]+$/.test(host)
  return isHost ? { kind: 'host', text, host, isWildcard } : { kind: 'unrecognized', text: input }
}

/** The host itself or its closest parent that is in `domains`. */
export function findContainingDomain(host: string, domains: ReadonlySet<string>): string | undefined {
  for (let domain = host; ; ) {
    if (domains.has(domain)) return domain
    const dot = domain.indexOf('.')
    if (dot === -1) return undefined
    domain = domain.slice(dot + 1)
  }
}

/** Converts a domain typed into a policy to lowercase and punycode; undefined if it's invalid or has only one label. */
export function parseDomain(input: string): string | undefined {
  const text = input
    .trim()
    .toLowerCase()
    .replace(/^(?:\*\.|\.)/, '')
    .replace(/\.$/, '')
  const ascii = /^[\x20-\x7e]*$/.test(text) ? text : (URL.parse(`http://${text}/`)?.hostname ?? '')
  const name = parseHostName(ascii)
  return name.kind === 'host' && !name.isWildcard && name.host.includes('.') ? name.host : undefined
}
