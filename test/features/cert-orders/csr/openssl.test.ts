import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/csr/csr.ts'
import { readCsrFile } from '../../../../src/features/cert-orders/csr/file.ts'
import { makeFolder } from '../../../store/databases.ts'

const isHere = spawnSync('openssl', ['version']).status === 0

const SAN =
  'subjectAltName=DNS:shop.example.com,DNS:*.example.com,IP:192.0.2.1,email:a@example.com,URI:https://example.com'

const openssl = (args: readonly string[], input?: string | Buffer): string =>
  execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

const make = (...args: string[]): string =>
  openssl(['req', '-new', '-nodes', '-keyout', '-', '-outform', 'PEM', ...args]).replace(
    /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n/s,
    '',
  )

const verified = (pem: string): string => openssl(['req', '-noout', '-text', '-verify'], pem)

/** What openssl says to it, whatever comes of that. */
function verdict(pem: string): string {
  const { stdout, stderr } = spawnSync('openssl', ['req', '-noout', '-verify'], {
    input: pem,
    encoding: 'utf8',
  })
  return stdout + stderr
}

function withConfig<T>(config: string, work: (file: string) => T): T {
  using folder = makeFolder()
  const file = join(folder.path, 'req.cnf')
  writeFileSync(file, config)
  return work(file)
}

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

  it.each([
    { what: 'RSA 2048', key: ['rsa:2048'], bits: 2048, name: 'RSA 2048 bits' },
    { what: 'RSA 3072', key: ['rsa:3072'], bits: 3072, name: 'RSA 3072 bits' },
    { what: 'RSA 4096', key: ['rsa:4096'], bits: 4096, name: 'RSA 4096 bits' },
    {
      what: 'EC P-256',
      key: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      bits: 256,
      name: 'EC P-256',
    },
    { what: 'EC P-521', key: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp521r1'], bits: 521, name: 'EC P-521' },
  ])('agree on the key, the subject and the signature: $what', ({ key, bits, name }) => {
    const subject = '/C=CH/O=Example, Inc./OU=Web & Mail/CN=shop.example.com'
    const pem = make('-newkey', ...key, '-subj', subject, '-addext', SAN)
    const said = verified(pem)
    expect(said).toContain(`Public-Key: (${bits} bit)`)
    const read = readCsr(pem)
    if ('problem' in read) throw new Error(read.problem)
    expect(read.csr.key).toBe(name)
    const theirs = openssl(['req', '-noout', '-subject', '-nameopt', 'RFC2253'], pem)
    for (const part of ['CN=shop.example.com', 'C=CH', 'O=Example\\, Inc.'])
      for (const text of [theirs, read.csr.subject]) expect(text).toContain(part)
    const hash = /Signature Algorithm: .*?[sS][hH][aA](\d+)/.exec(said)?.[1]
    expect(read.csr.signature).toContain(`SHA-${hash}`)
  })

  it('read alike as DER', () => {
    const pem = make('-newkey', 'rsa:2048', '-subj', '/CN=a', '-addext', SAN)
    const der = execFileSync('openssl', ['req', '-outform', 'DER'], { input: pem })
    expect(readCsrFile(der)).toEqual(readCsr(pem))
  })

  it('say that they hold a challenge password, and not which', () => {
    const config =
      '[req]\nprompt=no\ndistinguished_name=dn\nattributes=at\n[dn]\nCN=a\n[at]\nchallengePassword=pass1word\n'
    const pem = withConfig(config, (file) => make('-newkey', 'rsa:2048', '-config', file))
    expect(verified(pem)).toContain('challengePassword')
    const read = readCsr(pem)
    expect(read).toMatchObject({
      csr: { warnings: expect.arrayContaining([expect.stringContaining('challenge password')]) },
    })
    if ('csr' in read) expect(JSON.stringify({ ...read.csr, pem: '' })).not.toContain('pass1word')
  })

  it('are refused where openssl refuses them, and where it is no request', () => {
    const pem = make('-newkey', 'rsa:2048', '-subj', '/CN=shop.example.com')
    const der = execFileSync('openssl', ['req', '-outform', 'DER'], { input: pem })
    const forged = Buffer.from(der)
    const at = forged.indexOf('shop')
    forged.write('evil', at)
    const forgedPem = openssl(['req', '-inform', 'DER'], forged)
    expect(verdict(forgedPem)).toMatch(/verif.*fail|fail.*verif/i)
    expect(readCsr(forgedPem)).toMatchObject({
      problem: expect.stringContaining('The signature does not match'),
    })
    const cut = pem.split('\n').slice(0, 8).join('\n')
    expect(verdict(cut)).toMatch(/unable|error/i)
    expect(readCsr(cut)).toMatchObject({ problem: expect.stringContaining('cut off') })
    const certificate = openssl([
      'req',
      '-new',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      '/dev/null',
      '-subj',
      '/CN=a',
    ])
    expect(readCsr(certificate)).toMatchObject({ problem: expect.stringContaining('This is a certificate') })
    for (const args of [
      ['genrsa', '2048'],
      ['genrsa', '-traditional', '2048'],
      ['genpkey', '-algorithm', 'ed25519'],
    ])
      expect(readCsr(openssl(args))).toMatchObject({ problem: expect.stringContaining('treat it as leaked') })
    const weak = make('-newkey', 'rsa:1024', '-subj', '/CN=a')
    expect(verified(weak)).toContain('(1024 bit)')
    expect(readCsr(weak)).toMatchObject({ problem: expect.stringContaining('has 1024 bits') })
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
