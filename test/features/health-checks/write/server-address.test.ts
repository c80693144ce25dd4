import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { followsDns } from '../../../../src/features/health-checks/write/server-address.ts'

const IPV4 = 1
const IPV6 = 28
const HEADER_BYTES = 12
const QUESTION_END_BYTES = 5

/** The first name in a DNS message, and where it ends (RFC 1035, 4.1.2). */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at }
}

/** Builds the answer with one address, or with none (RFC 1035, 4.1.1 and 4.1.3). */
function buildAnswer(question: Buffer, end: number, type: number, address: readonly number[] | undefined) {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180, 2)
  header.fill(0, 6)
  header.writeUInt16BE(address ? 1 : 0, 6)
  const asked = question.subarray(HEADER_BYTES, end + QUESTION_END_BYTES)
  const record = address
    ? [0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]
    : []
  return Buffer.concat([header, asked, Buffer.from(record)])
}

/** A DNS server with one domain. It loses the first question of each kind about `lossy.example`, and all about `silent.example`. */
async function startDns() {
  const server = createSocket('udp4')
  const asked = new Set<string>()
  server.on('message', (question, { port, address }) => {
    const { name, end } = readName(question)
    const type = question.readUInt16BE(end + 1)
    const isLost = name === 'silent.example' || (name === 'lossy.example' && !asked.has(`${name} ${type}`))
    asked.add(`${name} ${type}`)
    if (isLost) return
    const addresses: Record<number, number[]> = {
      [IPV4]: [192, 0, 2, 10],
      [IPV6]: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    }
    server.send(buildAnswer(question, end, type, addresses[type]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    asked,
    createResolver() {
      // More questions than in the app, because this process may not run for a while.
      const resolver = new Resolver({ timeout: 100, tries: 10 })
      resolver.setServers([`127.0.0.1:${server.address().port}`])
      return resolver
    },
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  }
}

it.each([
  { target: 'shop.example', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'https://shop.example:8443/status', httpServerAddress: '2001:DB8:0::1', expected: true },
  { target: 'shop.example', httpServerAddress: '192.0.2.11', expected: false },
  { target: 'shop.example', httpServerAddress: undefined, expected: false },
  { target: 'lossy.example', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'silent.example', httpServerAddress: '192.0.2.10', expected: false },
])('$httpServerAddress follows DNS for $target: $expected', async ({ expected, ...settings }) => {
  await using dns = await startDns()
  expect(await followsDns(settings, dns.createResolver())).toBe(expected)
})

it.each([
  { target: '192.0.2.10', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'http://[2001:db8::1]/', httpServerAddress: '2001:db8:0::1', expected: true },
  { target: '192.0.2.10', httpServerAddress: '192.0.2.11', expected: false },
])('asks nothing if the target is an address: $target', async ({ expected, ...settings }) => {
  await using dns = await startDns()
  expect(await followsDns(settings, dns.createResolver())).toBe(expected)
  expect(dns.asked.size).toBe(0)
})

it('holds no thread of the process while DNS doesn’t answer', async () => {
  await using dns = await startDns()
  const settings = { target: 'silent.example', httpServerAddress: '192.0.2.10' }
  const asking = followsDns(settings, dns.createResolver())
  await expect.poll(() => dns.asked.size, { interval: 5 }).toBeGreaterThan(0)
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
  expect(await asking).toBe(false)
})
