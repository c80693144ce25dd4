import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/csr/csr.ts'

const isHere = spawnSync('openssl', ['version']).status === 0

const SAN =
  'subjectAltName=DNS:shop.example.com,DNS:*.example.com,IP:192.0.2.1,email:a@example.com,URI:https://example.com'

const openssl = (args: readonly string[], input?: string): string =>
  execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

const make = (...args: string[]): string =>
  openssl(['req', '-new', '-nodes', '-keyout', '-', '-outform', 'PEM', ...args]).replace(
    /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n/s,
    '',
  )

describe.runIf(isHere)('requests made by openssl', () => {
  it.each([
    { what: 'RSA', args: ['-newkey', 'rsa:2048', '-subj', '/CN=shop.example.com/O=Example', '-addext', SAN] },
    {
      what: 'RSA-PSS signature',
      args: ['-newkey', 'rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-subj', '/CN=a', '-addext', SAN],
    },
    { what: 'RSA and SHA-224', args: ['-newkey', 'rsa:2048', '-sha224', '-subj', '/CN=a'] },
    {
      what: 'EC',
      args: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1', '-subj', '/CN=a', '-addext', SAN],
    },
    { what: 'Ed25519', args: ['-newkey', 'ed25519', '-subj', '/CN=a'] },
    { what: 'Ed448', args: ['-newkey', 'ed448', '-subj', '/CN=a'] },
    {
      what: '200 names',
      args: [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-subj',
        '/CN=a',
        '-addext',
        `subjectAltName=${Array.from({ length: 200 }, (_, i) => `DNS:h${i}.example.com`).join(',')}`,
      ],
    },
  ])('read as openssl reads them: $what', ({ args }) => {
    const pem = make(...args)
    const said = openssl(['req', '-noout', '-text', '-verify', '-nameopt', 'RFC2253'], pem)
    const read = readCsr(pem)
    if ('problem' in read) throw new Error(read.problem)
    expect(read.csr.pem).toBe(pem)
    expect(said).toContain('CN=')
    const names = said.match(/Alternative Name:.*\n\s*(.*)/)?.[1]?.split(', ') ?? []
    const asOpenssl = read.csr.names.map((name) =>
      name
        .replace('DNS ', 'DNS:')
        .replace('IP ', 'IP Address:')
        .replace('e-mail ', 'email:')
        .replace('URL ', 'URI:'),
    )
    expect(asOpenssl).toEqual(names)
  })

  it('are refused where openssl shows a curve of no use for the web', () => {
    const read = readCsr(make('-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1', '-subj', '/CN=a'))
    expect(read).toMatchObject({
      problem: expect.stringContaining('Its elliptic curve (secp256k1) is not certified'),
    })
  })

  it('say how many names there are that cannot be shown', () => {
    const args = [
      '-newkey',
      'rsa:2048',
      '-subj',
      '/CN=a',
      '-addext',
      'subjectAltName=otherName:1.2.3.4;UTF8:x,DNS:a.example',
    ]
    expect(readCsr(make(...args))).toMatchObject({
      csr: { names: ['DNS a.example'], warnings: [expect.stringContaining('1 alternative name of a kind')] },
    })
  })
})
