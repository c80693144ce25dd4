import { isIP } from 'node:net'
import { type Csr, commonNames } from './csr/csr.ts'
import { nameText } from './csr/names.ts'

/** A requested name, classified for the policy. */
export type OrderName =
  /** `text` is lowercase; `host` is the same without a leading `*.`. */
  | { kind: 'host'; text: string; host: string; isWildcard: boolean }
  /** An IP address, an email address, or a URL. */
  | { kind: 'other'; text: string }
  /** Anything else, such as a person or `w*.example.com`. */
  | { kind: 'unread'; text: string }

/** All names that a certificate may get: the common names and the alternative names, without duplicates. */
export function orderNames(csr: Pick<Csr, 'subjectParts' | 'names'>): OrderName[] {
  const names = [
    ...commonNames(csr).map((text) =>
      isIP(text) ? { kind: 'other' as const, text: `IP ${text}` } : hostName(text),
    ),
    ...csr.names.map((name) => {
      if (name.kind === 'DNS') return hostName(name.text)
      const text = nameText(name)
      return OTHER_KINDS.has(name.kind) ? { kind: 'other' as const, text } : { kind: 'unread' as const, text }
    }),
  ]
  // A common name is usually one of the alternative names too.
  return [...new Map(names.map((name) => [`${name.kind} ${name.text}`, name])).values()]
}

const OTHER_KINDS = new Set(['IP', 'email', 'URL'])

const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** A valid host name. Only the whole first label may be a wildcard. */
function hostName(typed: string): OrderName {
  const text = typed.toLowerCase().replace(/\.$/, '')
  const isWildcard = text.startsWith('*.')
  const host = isWildcard ? text.slice(2) : text
  const isHost = typed.length <= 255 && HOST.test(host) && !/^[\d.]+$/.test(host)
  return isHost ? { kind: 'host', text, host, isWildcard } : { kind: 'unread', text: typed }
}

/** The longest of the domains that contain the host. Looks up each parent domain once. */
export function findContainingDomain(host: string, domains: ReadonlySet<string>): string | undefined {
  for (let rest = host; ; ) {
    if (domains.has(rest)) return rest
    const dot = rest.indexOf('.')
    if (dot === -1) return undefined
    rest = rest.slice(dot + 1)
  }
}

/** A domain as typed into a policy, converted to lowercase and punycode, with at least two labels; undefined if invalid. */
export function readDomain(typed: string): string | undefined {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^(?:\*\.|\.)/, '')
    .replace(/\.$/, '')
  const ascii = /^[\x20-\x7e]*$/.test(text) ? text : (URL.parse(`http://${text}/`)?.hostname ?? '')
  const name = hostName(ascii)
  return name.kind === 'host' && !name.isWildcard && name.host.includes('.') ? name.host : undefined
}
