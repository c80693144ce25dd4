import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { makeFolder } from '../../../databases/databases.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

const SAN = 'subjectAltName=DNS:shop.example.com,DNS:*.example.com,IP:192.0.2.1,email:a@example.com'

const openssl = (args: readonly string[], input?: string | Buffer): string =>
  execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })

/** Much faster to generate than an RSA key. */
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

const makeRequest = (...args: string[]): string =>
  openssl(['req', '-new', '-nodes', '-keyout', '-', '-outform', 'PEM', ...args]).replace(
    /-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n/s,
    '',
  )

const printVerified = (pem: string): string => openssl(['req', '-noout', '-text', '-verify'], pem)

/** openssl's output, whether it succeeds or not. */
function printVerification(pem: string): string {
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

describe.runIf(hasOpenssl)('CSRs made by openssl during the test', () => {
  it('are parsed the same as PEM and as DER', async () => {
    const pem = makeRequest(...EC, '-subj', '/CN=a', '-addext', SAN)
    const der = execFileSync('openssl', ['req', '-outform', 'DER'], { input: pem })
    expect(await readCsrFile(der)).toEqual(readCsr(pem))
  })

  it('are shown with a note about a challenge password, but without the password', () => {
    const config =
      '[req]\nprompt=no\ndistinguished_name=dn\nattributes=at\n[dn]\nCN=a\n[at]\nchallengePassword=pass1word\n'
    const pem = withConfig(config, (file) => makeRequest(...EC, '-config', file))
    expect(printVerified(pem)).toContain('challengePassword')
    const result = readCsr(pem)
    expect(result).toMatchObject({
      csr: { warnings: expect.arrayContaining([expect.stringContaining('challenge password')]) },
    })
    if ('csr' in result) expect(result.csr.attributes).toMatchObject([{ values: ['a password (hidden)'] }])
  })

  it('are rejected if openssl rejects them, if they aren’t CSRs, or if their key is too weak', () => {
    const pem = makeRequest('-newkey', 'rsa:2048', '-subj', '/CN=shop.example.com')
    const der = execFileSync('openssl', ['req', '-outform', 'DER'], { input: pem })
    const forged = Buffer.from(der)
    const position = forged.indexOf('shop')
    forged.write('evil', position)
    const forgedPem = openssl(['req', '-inform', 'DER'], forged)
    expect(printVerification(forgedPem)).toMatch(/verif.*fail|fail.*verif/i)
    expect(readCsr(forgedPem)).toMatchObject({
      problem: expect.stringContaining('The signature doesn’t match'),
    })
    const truncated = pem.split('\n').slice(0, 8).join('\n')
    expect(printVerification(truncated)).toMatch(/unable|error/i)
    expect(readCsr(truncated)).toMatchObject({ problem: expect.stringContaining('cut off') })
    const certificate = openssl([
      'req',
      '-new',
      '-x509',
      ...EC,
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
    const weak = makeRequest('-newkey', 'rsa:1024', '-subj', '/CN=a')
    expect(printVerified(weak)).toContain('(1024 bit)')
    expect(readCsr(weak)).toMatchObject({ problem: expect.stringContaining('has 1024 bits') })
  })
})
