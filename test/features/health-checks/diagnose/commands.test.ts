import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'
import { x509 } from '../../cert-orders/csr/x509.ts'

async function listen<S extends Pick<Server, 'listen' | 'address' | 'close' | 'once'>>(server: S) {
  server.listen(0, '127.0.0.1')
  await once(server as unknown as NodeJS.EventEmitter, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.dispose]: () => void server.close() }
}

async function createSelfSigned() {
  const { X509CertificateGenerator } = x509()
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=shop.example',
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2036-01-01'),
    signingAlgorithm: algorithm,
    keys,
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----`,
  }
}

const share = shareWorld({ environment: { DIAGNOSE_FORBID: 'none' } })
let checks = 0

async function diagnose(check: Omit<CheckSeed, 'name'>): Promise<string> {
  checks += 1
  const name = `web-${checks}`
  return diagnoseIn(await share({ ...check, name }), name)
}

async function diagnoseIn({ slack }: World, name: string): Promise<string> {
  const { message } = await slack.member.command('/hc', `diagnose ${name}`, {
    until: 'Seen from where Signalman runs',
  })
  return message?.text ?? ''
}

describe('/hc diagnose', () => {
  it('shows addresses, connections, and the response next to the status that the service reports', async () => {
    const requests: (string | undefined)[] = []
    const site = createServer(({ headers, url }, response) => {
      requests.push(`${headers.host} ${url}`)
      response.writeHead(503).end('x'.repeat(100_000))
    })
    using server = await listen(site)
    const { port } = server
    const text = await diagnose({
      protocol: 'HTTP',
      target: `http://localhost:${port}/health?a=b`,
      port,
      status: 'UNHEALTHY',
    })
    expect(text).toContain('Seen from here: it responds with HTTP 503')
    expect(text).toContain('the service says down')
    expect(text).toMatch(/localhost: .*127\.0\.0\.1.* in \d+ ms/)
    expect(text).toMatch(new RegExp(`Port ${port} of 127\\.0\\.0\\.1: connected in \\d+ ms`))
    expect(requests).toEqual([`localhost:${port} /health?a=b`])
  })

  it('shows the names and the expiry of a certificate, and why it isn’t valid', async () => {
    const site = createSecureServer(await createSelfSigned(), (_, response) => void response.end('ok'))
    using server = await listen(site)
    const { port } = server
    const text = await diagnose({ protocol: 'HTTPS', target: '127.0.0.1', port })
    expect(text).toContain('Seen from here: invalid certificate (self-signed)')
    expect(text).toMatch(/for shop\.example; expires 2036-01-01, in \d+ (?:d|years)/)
    expect(text).toMatch(/HTTP: 200 in \d+ ms/)
  })

  it('ignores an invalid certificate if the check doesn’t verify it', async () => {
    const site = createSecureServer(await createSelfSigned(), (_, response) => void response.end('ok'))
    using server = await listen(site)
    const text = await diagnose({
      protocol: 'HTTPS',
      target: '127.0.0.1',
      port: server.port,
      verify_ssl: false,
    })
    expect(text).toContain('Seen from here: it responds with HTTP 200')
    expect(text).toContain('self-signed, which this health check ignores')
  })

  it('connects to the configured address even if the name doesn’t resolve, and sends the name in Punycode', async () => {
    const requests: (string | undefined)[] = []
    const site = createServer(({ headers }, response) => {
      requests.push(headers.host)
      response.end('ok')
    })
    using server = await listen(site)
    const text = await diagnose({
      protocol: 'HTTP',
      target: '例え.invalid',
      port: server.port,
      http_server_address: '127.0.0.1',
    })
    expect(text).toContain('Seen from here: it responds with HTTP 200')
    expect(requests).toEqual([`xn--r8jz45g.invalid:${server.port}`])
  })

  it('says whether a port accepts connections, TLS fails, or nothing is listening', async () => {
    const tcp = createTcpServer((socket) => void socket.on('error', () => undefined).end('hello\n'))
    using server = await listen(tcp)
    expect(await diagnose({ protocol: 'TCP', target: '127.0.0.1', port: server.port })).toContain(
      'Seen from here: it accepts connections',
    )
    expect(await diagnose({ protocol: 'HTTPS', target: '127.0.0.1', port: server.port })).toContain(
      'TLS failed',
    )
    expect(await diagnose({ protocol: 'TCP', target: '127.0.0.1', port: 1 })).toContain(
      'connection refused: nothing listens on this port, or a firewall refuses connections',
    )
  })

  it('doesn’t connect to addresses that the operator forbids', async () => {
    let connections = 0
    const tcp = createTcpServer((socket) => {
      connections += 1
      socket.on('error', () => undefined).destroy()
    })
    using server = await listen(tcp)
    await using world = await startWorld({
      checks: [{ name: 'web', protocol: 'TCP', target: 'localhost', port: server.port }],
      environment: { DIAGNOSE_FORBID: 'private' },
    })
    const text = await diagnoseIn(world, 'web')
    expect(text).toContain('not tested, because the operator of this app doesn’t allow connections to it')
    expect(connections).toBe(0)
  })
})
