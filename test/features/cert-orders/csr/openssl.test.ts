import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/csr/csr.ts'
import { makeFolder } from '../../../databases/databases.ts'

const isHere = spawnSync('openssl', ['version']).status === 0

const SAN = 'subjectAltName=DNS:shop.example.com,DNS:*.example.com,IP:192.0.2.1,email:a@example.com'

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

describe.runIf(isHere)('requests made by openssl here and now', () => {
  it('read alike as DER', async () => {
    const pem = make('-newkey', 'rsa:2048', '-subj', '/CN=a', '-addext', SAN)
    const der = execFileSync('openssl', ['req', '-outform', 'DER'], { input: pem })
    expect(await readCsrFile(der)).toEqual(readCsr(pem))
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
})

describe.runIf(isHere)('advice works when it is pasted into a shell', () => {
  const hosts = (count: number) =>
    Array.from({ length: count }, (_, at) => `DNS:h${at}.example.com`).join(',')

  /** Runs the command of the problem where the person's own files are, and reads what it has made. */
  function followed(problem: string, pem: string) {
    using folder = makeFolder()
    writeFileSync(join(folder.path, 'your.csr'), pem)
    writeFileSync(join(folder.path, 'your.key'), openssl(['genpkey', '-algorithm', 'RSA']))
    const command = /openssl req -new .*?(?= \(your\.csr| \(with your| \(left|$)/.exec(problem)?.[0] ?? ''
    execFileSync('sh', ['-c', command], { cwd: folder.path, stdio: ['ignore', 'ignore', 'ignore'] })
    const read = readCsr(readFileSync(join(folder.path, 'new.csr'), 'utf8'))
    if ('problem' in read) throw new Error(read.problem)
    return read.csr
  }

  it.each([
    { what: 'a weak key', args: ['-newkey', 'rsa:1024'], san: 'DNS:shop.example.com,DNS:*.example.com' },
    {
      what: 'an odd curve',
      args: ['-newkey', 'ed25519'],
      san: 'IP:192.0.2.1,IP:2001:db8::1,email:a@example.com',
    },
    { what: 'an outdated signature', args: ['-newkey', 'rsa:2048', '-sha1'], san: 'DNS:shop.example.com' },
    {
      what: 'many names',
      args: ['-newkey', 'rsa:1024'],
      san: `${hosts(40)},IP:192.0.2.1,URI:https://example.com`,
    },
  ])('$what: the new request has the same names', ({ args, san }) => {
    const pem = make(...args, '-subj', '/CN=shop.example.com', '-addext', `subjectAltName=${san}`)
    const read = readCsr(pem)
    if ('csr' in read) throw new Error('It should be refused.')
    const { names, subject } = followed(read.problem, pem)
    const asked = verified(pem)
      .match(/Alternative Name:.*\n\s*(.*)/)?.[1]
      ?.split(', ')
      .map((name) => name.replace(/^[^:]+:/, '').toLowerCase())
    const made = names.map((name) => name.replace(/^\S+ /, '').toLowerCase())
    expect(made.map((name) => name.replace('2001:db8::1', '2001:db8:0:0:0:0:0:1'))).toEqual(asked)
    expect(subject).toBe('CN=shop.example.com')
  })

  it('leaves out what a shell or openssl could take for something else', () => {
    const san = 'subjectAltName=DNS:shop.example.com,DNS:a&b.example.com'
    const pem = make('-newkey', 'rsa:1024', '-subj', '/CN=shop.example.com', '-addext', san)
    const read = readCsr(pem)
    if ('csr' in read) throw new Error('It should be refused.')
    expect(read.problem).toContain('(left out: 1 of its names)')
    expect(followed(read.problem, pem).names).toEqual(['DNS shop.example.com'])
  })

  it('a certificate in place of a request', () => {
    const args = [
      'req',
      '-new',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      '/dev/null',
      '-subj',
      '/CN=shop.example.com',
    ]
    const certificate = openssl([...args, '-addext', 'subjectAltName=DNS:shop.example.com,IP:192.0.2.1'])
    const read = readCsr(certificate)
    if ('csr' in read) throw new Error('It should be refused.')
    expect(followed(read.problem, '').names).toEqual(['DNS shop.example.com', 'IP 192.0.2.1'])
  })

  it('a private key, of which no name is known', () => {
    const read = readCsr(openssl(['genpkey', '-algorithm', 'RSA']))
    if ('csr' in read) throw new Error('It should be refused.')
    expect(followed(read.problem, '').names).toEqual(['DNS www.example.com'])
    expect(read.problem).toContain('(with your own names)')
  })
})
