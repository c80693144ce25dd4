import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import type { RequestedName } from './names.ts'

/** Why a reviewer should look at this name; empty if it's an ordinary host name. */
export function findNameProblems({ kind, text }: RequestedName): string[] {
  if (kind !== 'DNS') return [`a name of type “${kind}”, not a host name`, ...findTextProblems(text)]
  if (isIP(text)) return ['an IP address written as a host name']
  if (!HOST_NAME.test(text) || text.length > MAX_NAME_LENGTH)
    return ['not a host name that public authorities issue certificates for', ...findTextProblems(text)]
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
    ? [`punycode: browsers may show ${shown}, whose letters can look like others`, ...findTextProblems(shown)]
    : ['invalid punycode']
}

/** Characters that are invisible, that reverse text, or where some parsers stop. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|[\ufe00-\ufe0f]/u

/** Why a text in a request may not be what it looks like. */
export function findTextProblems(text: string): string[] {
  if (/^[\x20-\x7e]*$/.test(text)) return []
  return [
    INVISIBLE.test(text) && 'it has invisible characters, or characters that reverse the reading direction',
    hasMixedScripts(text) && 'letters of several scripts in one word, which look alike',
    text.normalize('NFKC') !== text.normalize('NFC') && 'characters that look like others',
  ].filter((problem) => problem !== false)
}

/** Scripts with letters that look like those of another one (UTS 39, 5.2). */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Georgian',
  'Hebrew',
  'Lisu',
].map((name) => new RegExp(`\\p{Script=${name}}`, 'u'))

const hasMixedScripts = (text: string): boolean =>
  (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).some(
    (word) => SCRIPTS.filter((script) => script.test(word)).length > 1,
  )
