import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { makeFolder } from '../../../databases/databases.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const openssl = (args: readonly string[], input = ''): string =>
  execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----\n/s
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

const made = new Map<string, string>()

/** The key and the request, as openssl prints both. Made once, because many mistakes begin with the same request. */
function make(...args: string[]): string {
  const key = args.join('\n')
  const printed = made.get(key) ?? openssl(['req', '-new', '-nodes', '-keyout', '-', ...args])
  made.set(key, printed)
  return printed
}

const request = (subject: string, ...args: string[]): string =>
  make(...EC, '-subj', subject, ...args).replace(KEY, '')
const san = (...names: string[]): string[] => ['-addext', `subjectAltName=${names.join(',')}`]
const SHOP = ['/CN=shop.example.com', ...san('DNS:shop.example.com')] as const
const named = (name: string): string =>
  request('/CN=shop.example.com', ...san('DNS:shop.example.com', `DNS:${name}`))

function requestWithPassword(): string {
  using folder = makeFolder()
  const file = join(folder.path, 'req.cnf')
  const parts = ['[req]', 'prompt=no', 'distinguished_name=dn', 'attributes=at', 'req_extensions=ex']
  writeFileSync(
    file,
    [
      ...parts,
      '[dn]',
      'CN=shop.example.com',
      '[at]',
      'challengePassword=secret',
      '[ex]',
      'subjectAltName=DNS:shop.example.com',
      '',
    ].join('\n'),
  )
  return make(...EC, '-config', file).replace(KEY, '')
}

/**
 * Requests as people make and paste them, with what they should read about each: a warning or the reason of a refusal; empty for one
 * without a mistake.
 */
const REQUESTS: Readonly<Record<string, readonly [makes: () => string, reads: string]>> = {
  'one name': [() => request(...SHOP), ''],
  'two names': [
    () => request('/CN=shop.example.com', ...san('DNS:shop.example.com', 'DNS:www.shop.example.com')),
    '',
  ],
  'an organization': [
    () =>
      request('/C=DE/ST=Berlin/L=Berlin/O=Example GmbH/CN=shop.example.com', ...san('DNS:shop.example.com')),
    '',
  ],
  'no common name': [() => request('/O=Example', ...san('DNS:shop.example.com')), ''],
  'only alternative names': [() => request('/', ...san('DNS:shop.example.com')), ''],
  'capital letters': [() => request('/CN=Shop.Example.COM', ...san('DNS:Shop.Example.COM')), ''],
  'an RSA key of 3,072 bits': [() => make('-newkey', 'rsa:3072', '-subj', ...SHOP).replace(KEY, ''), ''],
  'line ends of Windows': [() => request(...SHOP).replaceAll('\n', '\r\n'), ''],
  'with the text of -text': [() => openssl(['req', '-text'], request(...SHOP)), ''],
  'without its BEGIN and END lines': [() => request(...SHOP).replace(/-----[^\n]*-----\n/g, ''), ''],
  'indented, from an email': [() => request(...SHOP).replace(/^/gm, '  '), ''],
  'in one line': [() => request(...SHOP).replaceAll('\n', ' '), ''],
  'no alternative name': [() => request('/CN=shop.example.com'), 'no subject alternative names (SANs)'],
  'nothing at all': [() => request('/'), 'no subject and no alternative names'],
  'openssl’s sample answers': [
    () =>
      request(
        '/C=AU/ST=Some-State/O=Internet Widgits Pty Ltd/CN=shop.example.com',
        ...san('DNS:shop.example.com'),
      ),
    'sample values',
  ],
  'one of openssl’s sample answers': [
    () => request('/C=AU/ST=Some-State/CN=shop.example.com', ...san('DNS:shop.example.com')),
    'sample values of openssl: Some-State.',
  ],
  'a title as common name': [
    () => request('/CN=Shop certificate', ...san('DNS:shop.example.com')),
    'isn’t among its alternative names',
  ],
  'a common name that isn’t listed': [
    () => request('/CN=example.com', ...san('DNS:www.example.com')),
    'isn’t among its alternative names',
  ],
  'a wildcard over the domain': [
    () => request('/CN=*.example.com', ...san('DNS:*.example.com')),
    'a wildcard over a whole registered domain',
  ],
  'two wildcards in a name': [() => named('*.*.example.com'), 'not a host name'],
  'a wildcard within a label': [() => named('www*.example.com'), 'not a host name'],
  'a URL': [() => named('https://shop.example.com'), 'not a host name'],
  'a path': [() => named('shop.example.com/'), 'not a host name'],
  'a port': [() => named('shop.example.com:443'), 'not a host name'],
  'a space instead of a comma': [() => named('www.example.com DNS.example.com'), 'not a host name'],
  'an underscore': [() => named('shop_1.example.com'), 'not a host name'],
  'a dot at the end': [() => named('www.example.com.'), 'not a host name'],
  'two dots': [() => named('www..example.com'), 'not a host name'],
  'a typo in the suffix': [() => named('www.example.con'), 'not under a public top-level domain'],
  'a typo in the domain': [() => named('www.exmaple.com'), 'differ by one letter'],
  'a name listed twice': [() => named('shop.example.com'), 'more than once'],
  localhost: [() => named('localhost'), 'not under a public top-level domain'],
  'a name of the office': [() => named('web-1.local'), 'not under a public top-level domain'],
  'an address as a host': [() => named('192.0.2.7'), 'an IP address written as a host name'],
  'an address': [
    () => request('/CN=shop.example.com', ...san('DNS:shop.example.com', 'IP:10.0.0.5')),
    'IP 10.0.0.5: a name of type “IP”',
  ],
  'an email address': [
    () => request('/CN=shop.example.com', ...san('DNS:shop.example.com', 'email:a@example.com')),
    'a name of type “email”',
  ],
  'an international name': [
    () => named('xn--bcher-kva.example.com'),
    'punycode: browsers may show bücher.example.com',
  ],
  'an authority’s configuration': [
    () => request(...SHOP, '-addext', 'basicConstraints=CA:TRUE'),
    'a certificate authority',
  ],
  'the key usage of an authority': [
    () => request(...SHOP, '-addext', 'keyUsage=keyCertSign,digitalSignature'),
    'only for certificate authorities',
  ],
  'a purpose of another certificate': [
    () => request(...SHOP, '-addext', 'extendedKeyUsage=codeSigning'),
    'web servers don’t need: codeSigning',
  ],
  'a challenge password': [requestWithPassword, 'has a challenge password'],
  'an RSA key of 1,024 bits': [
    () => make('-newkey', 'rsa:1024', '-subj', ...SHOP).replace(KEY, ''),
    'has 1024 bits, which is too weak',
  ],
  'a signature with SHA-1': [() => request(...SHOP, '-sha1'), 'signed with SHA-1'],
  'a certificate instead': [
    () => make(...EC, '-x509', '-subj', ...SHOP).replace(KEY, ''),
    'This is a certificate',
  ],
  'the key instead': [() => make(...EC, '-subj', ...SHOP).match(KEY)?.[0] ?? '', 'treat it as leaked'],
  'the key too': [() => make(...EC, '-subj', ...SHOP), 'treat it as leaked'],
  'only the text of -text': [
    () => openssl(['req', '-text', '-noout'], request(...SHOP)),
    'No certificate signing request was found',
  ],
  'the last lines are missing': [
    () =>
      request(...SHOP)
        .split('\n')
        .slice(0, 4)
        .join('\n'),
    'cut off',
  ],
  'a line is missing': [
    () =>
      request(...SHOP)
        .split('\n')
        .filter((_, index) => index !== 2)
        .join('\n'),
    'damaged',
  ],
  'two requests': [() => request(...SHOP) + request(...SHOP), 'more than one request'],
}

describe.runIf(hasOpenssl)('a request that people make with openssl', () => {
  it.each(Object.entries(REQUESTS))('says what is wrong: %s', (_, [makes, reads]) => {
    const result = readCsr(makes())
    const said = 'problem' in result ? [result.problem] : result.csr.warnings
    expect(JSON.stringify(result), 'no challenge password is shown').not.toContain('secret')
    if (reads === '') expect(said).toEqual([])
    else expect(said.join('\n')).toContain(reads)
  })
})
