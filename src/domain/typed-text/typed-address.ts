import { domainToASCII } from 'node:url'
import { cleanTyped } from './clean.ts'

const OPEN = '[\\[({<]'
const CLOSE = '[\\])}>]'
const DOTS = '.\\u3002\\uff0e\\uff61\\u2024'
/** How people defang addresses, and what each spelling stands for, in order. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  // hxxps[://]  hXXp[:]//  h**p://  http[s]://
  [/\bh(?:tt|xx|\*\*|__)p(\[?s?\]?)(?=\s?[[({<]?\s?:)/gi, 'http$1'],
  [/^http\[s\]/i, 'https'],
  [new RegExp(`${OPEN}\\s?(:\\s?\\/\\/)\\s?${CLOSE}`, 'g'), '://'],
  [new RegExp(`${OPEN}\\s?:\\s?${CLOSE}`, 'g'), ':'],
  [new RegExp(`${OPEN}\\s?(\\/{1,2})\\s?${CLOSE}`, 'g'), '$1'],
  // [dot]  (punkt)  [.]  (.)  {.}  [.  .]  \.  a dot b
  [new RegExp(`\\s?${OPEN}\\s?(?:dot|d0t|punkt|point|punto)\\s?${CLOSE}\\s?`, 'gi'), '.'],
  [new RegExp(`\\s?${OPEN}\\s?[${DOTS}]\\s?${CLOSE}\\s?`, 'g'), '.'],
  [new RegExp(`${OPEN}([${DOTS}])|([${DOTS}])${CLOSE}`, 'g'), '.'],
  [/\\(?=[.:/@])/g, ''],
  [/(?<=\S)\s{1,3}dot\s{1,3}(?=\S)/gi, '.'],
  // [@]  (at)
  [new RegExp(`\\s?${OPEN}\\s?(?:@|at)\\s?${CLOSE}\\s?`, 'gi'), '@'],
]
const AROUND = /^[\s"'`<([{]+|[\s"'`>)}\],;!]+$/g

/** What was typed or pasted: an address, or other text. */
type TypedAddress =
  | {
      readonly kind: 'url' | 'host' | 'ip' | 'email'
      readonly value: string
      readonly host: string
      readonly port?: number
    }
  | { readonly kind: 'text'; readonly value: string }

/** Longer than any address. */
const LONGEST = 4000

/** Restores an address from any usual defanged spelling: `hxxps[://]login[.]example[.]com`. Other text is only cleaned. */
export function refang(typed: string): string {
  // Not the last character of an IPv6 address in brackets.
  let text = cleanTyped(typed.slice(0, LONGEST)).replace(/^mailto:/i, '')
  for (const [spelling, meaning] of SPELLINGS) text = text.replace(spelling, meaning)
  const bare = text.replace(AROUND, '')
  return (/^\[[0-9a-f:.]+\](?::\d+)?$/i.test(text) ? text : bare).replace(/\.+$/, '')
}

/**
 * Parses an address that was typed or pasted, in any usual spelling. Hosts are in lowercase and ASCII. Anything that isn't an address
 * is `text`: a caller that needs an address says so, rather than that nothing was found.
 */
export function parseAddress(typed: string): TypedAddress {
  const value = refang(typed)
  const text = { kind: 'text', value } as const
  // A browser reads the version number 1.2.3 as 1.2.0.3, and the number 64500 as 0.0.251.244.
  if (/\s/.test(value) || value === '' || /^(?:0x[\da-f]+|\d+(?:\.\d+){0,2})$/i.test(value)) return text
  return parseEmail(value) ?? parseUrl(value) ?? text
}

function parseEmail(value: string): TypedAddress | undefined {
  const at = value.lastIndexOf('@')
  if (at <= 0 || value.includes('/')) return undefined
  const host = parseHost(value.slice(at + 1))
  return host?.kind === 'host'
    ? { kind: 'email', value: `${value.slice(0, at)}@${host.value}`, host: host.value }
    : undefined
}

function parseUrl(value: string): TypedAddress | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(value)
  const absolute = hasScheme ? value : value.startsWith('//') ? `http:${value}` : undefined
  const url = URL.parse(absolute ?? `http://${value}`)
  const host = (url && parseHost(url.hostname)) ?? (absolute ? undefined : parseHost(value))
  if (!host) return undefined
  const port = url?.port ? { port: Number(url.port) } : {}
  const isPage =
    absolute !== undefined || (url && (url.pathname !== '/' || url.search !== '' || url.hash !== ''))
  return url && isPage
    ? { kind: 'url', value: url.href, host: host.value, ...port }
    : { ...host, host: host.value, ...port }
}

const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

function parseHost(text: string): { kind: 'host' | 'ip'; value: string } | undefined {
  const plain = text.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (/^[\d.]+$/.test(plain))
    return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(plain)
      ? { kind: 'ip', value: plain }
      : undefined
  if (plain.includes(':')) {
    const address = URL.parse(`http://[${plain}]/`)?.hostname
    return address ? { kind: 'ip', value: address.slice(1, -1) } : undefined
  }
  // `domainToASCII` refuses underscores, which some hosts have.
  const ascii =
    /^[\x21-\x7e]+$/.test(plain) && plain.includes('_') ? plain.toLowerCase() : domainToASCII(plain)
  return HOST_NAME.test(ascii) ? { kind: 'host', value: ascii } : undefined
}
