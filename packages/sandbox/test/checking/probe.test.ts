import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProbedCheck, probe } from '../../src/checking/probe.ts'
import { type Lab, startLab } from '../../src/seed/lab.ts'
import { parseTarget } from '../../src/target.ts'

let lab: Lab
beforeAll(async () => {
  lab = await startLab(['down.example.com'])
})
afterAll(() => lab[Symbol.asyncDispose]())

const probeWith = (check: Partial<ProbedCheck>, signal = AbortSignal.timeout(10_000)) =>
  probe(
    { protocol: 'TCP', target: '127.0.0.1', port: 1, http_server_address: null, verify_ssl: null, ...check },
    signal,
  )

const localServer = { http_server_address: '127.0.0.1' }
const httpCheck = () =>
  ({ ...localServer, protocol: 'HTTP', target: 'shop.example.com', port: lab.ports.http }) as const
const httpsCheck = () =>
  ({
    ...localServer,
    protocol: 'HTTPS',
    target: 'shop.example.com',
    port: lab.ports.https,
    verify_ssl: 1,
  }) as const

describe('a TCP check', () => {
  it('is healthy if the port is open, on an IP address or a subdomain of localhost', async () => {
    expect(await probeWith({ port: lab.ports.tcp })).toBe(true)
    expect(await probeWith({ port: lab.ports.tcp, target: 'db.shop.localhost' })).toBe(true)
    expect(await probeWith({ port: lab.ports.tcp, target: 'http://localhost/path' })).toBe(true)
  })

  it('is unhealthy if nothing listens on the port', async () => {
    expect(await probeWith({ port: 1 })).toBe(false)
    expect(await probeWith({ port: 1, target: '::1' })).toBe(false)
  })
})

describe('an HTTP check', () => {
  it.each([
    ['shop.example.com', true],
    ['http://shop.example.com/health?x=1', true],
    ['down.example.com', false],
    ['http://down.example.com/', false],
  ])('connects to http_server_address and requests %s', async (target, healthy) => {
    expect(await probeWith({ ...httpCheck(), target })).toBe(healthy)
  })

  it('detects when a target goes down and comes back up', async () => {
    expect(await probeWith(httpCheck())).toBe(true)
    lab.setStopped('shop.example.com', true)
    expect(await probeWith(httpCheck())).toBe(false)
    lab.setStopped('shop.example.com', false)
    expect(await probeWith(httpCheck())).toBe(true)
  })
})

describe('an HTTPS check', () => {
  it('is healthy if the certificate is trusted and matches the target', async () => {
    expect(await probeWith(httpsCheck())).toBe(true)
    expect(await probeWith({ ...httpsCheck(), target: 'https://shop.example.com/health' })).toBe(true)
    expect(await probeWith({ ...httpsCheck(), target: '127.0.0.1' })).toBe(true)
  })

  it.each([
    ['names another host', { target: 'shop.elsewhere.example' }],
    ['names another address', { target: '127.0.0.2' }],
  ])('is unhealthy if the certificate %s, unless verification is off', async (_name, changes) => {
    expect(await probeWith({ ...httpsCheck(), ...changes })).toBe(false)
    expect(await probeWith({ ...httpsCheck(), ...changes, verify_ssl: 0 })).toBe(true)
  })

  it('is unhealthy on an error response or a server without TLS, even with verification off', async () => {
    expect(await probeWith({ ...httpsCheck(), target: 'down.example.com' })).toBe(false)
    expect(await probeWith({ ...httpsCheck(), target: 'down.example.com', verify_ssl: 0 })).toBe(false)
    expect(await probeWith({ ...httpsCheck(), port: lab.ports.http, verify_ssl: 0 })).toBe(false)
  })
})

it.each([
  ['192.0.2.1', { host: '192.0.2.1', path: '/' }],
  ['2001:db8::1', { host: '2001:db8::1', path: '/' }],
  ['http://[2001:db8::1]:8080/a', { host: '2001:db8::1', path: '/a' }],
  ['https://shop.example.com', { host: 'shop.example.com', path: '/' }],
  ['no target', undefined],
  ['ftp://a.example', undefined],
  [`${'a.'.repeat(127)}a`, undefined],
  [`${'a'.repeat(64)}.example`, undefined],
  ['shop.example.com/path', undefined],
  ['http://', undefined],
  ['javascript:alert(1)', undefined],
])('parses the target %j', (target, expected) => {
  expect(parseTarget(target)).toEqual(expected)
})
