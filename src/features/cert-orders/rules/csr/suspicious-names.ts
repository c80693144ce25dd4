import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import type { RequestedName } from './names.ts'

/** Why a reviewer should look at this name; empty if it's an ordinary host name. */
export function findNameProblems({ kind, text }: RequestedName): string[] {
  if (kind !== 'DNS') return [`a name of type “${kind}”, not a host name`]
  if (isIP(text)) return ['an IP address written as a host name']
  if (!HOST_NAME.test(text) || text.length > MAX_NAME_LENGTH)
    return ['not a host name that public authorities issue certificates for']
  const host = text.replace(/^\*\./, '').toLowerCase()
  return [...findScopeProblems(host, text.startsWith('*')), ...findPunycodeProblems(host)]
}

const MAX_NAME_LENGTH = 253
/** ASCII letters, digits, and hyphens, in labels of at most 63 characters. Only the whole first label may be a wildcard. */
const HOST_NAME =
  /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const PARSE_OPTIONS = { extractHostname: false, validateHostname: false, allowPrivateDomains: true } as const

/** Warns about wildcards that cover too much, and about names that aren't public. */
function findScopeProblems(host: string, isWildcard: boolean): string[] {
  const { publicSuffix, domain, isIcann, isPrivate } = parse(host, PARSE_OPTIONS)
  if (!isIcann && !isPrivate) return ['not under a public top-level domain']
  if (publicSuffix === host)
    return [
      isWildcard
        ? `a wildcard over a public suffix: it covers everyone’s names under ${host}`
        : 'a public suffix, where anyone can register names',
    ]
  return isWildcard
    ? [
        `a wildcard${domain === host ? ' over a whole registered domain' : ''} for every name directly below it`,
      ]
    : []
}

/** Shows what browsers may show for an international name. */
function findPunycodeProblems(host: string): string[] {
  if (!/(?:^|\.)xn--/.test(host)) return []
  const shown = domainToUnicode(host)
  // `domainToUnicode` returns names that it can't decode unchanged or empty.
  return shown && !/(?:^|\.)xn--/.test(shown)
    ? [`punycode: browsers may show ${shown}, whose letters can look like others`]
    : ['invalid punycode']
}
