import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { WebSocketServer } from 'ws'
import { CERTIFICATE, KEY } from './doctor/certificate.ts'

/** The only name in the certificate that DNS doesn't have, so only a proxy can reach it. */
export const OUTSIDE = 'https://db.example.com'

/** A proxy that tunnels to the port of this machine, whatever host is asked for. With a password, it wants that of the user `ops`. */
export async function startProxy(port: number, password?: string) {
  const tunnels: string[] = []
  const clients = new Set<Duplex>()
  let unanswered = 0
  let behavior: 'open' | 'silent' | 'in small parts' | 'endless' | 403 = 'open'
  const wanted = password && `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '', headers }, client) => {
    clients.add(client.on('error', () => undefined))
    if (behavior !== 'open') unanswered += 1
    if (behavior === 'silent') return
    if (behavior === 'in small parts' || behavior === 'endless') {
      const parts = Readable.from(repeat('a: b\r\n'.repeat(behavior === 'endless' ? 10_000 : 1)))
      client.write('HTTP/1.1 200 Connected\r\n')
      return void parts.pipe(client)
    }
    if (behavior === 403) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    if (headers['proxy-authorization'] !== wanted)
      return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    tunnels.push(url)
    const target = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'))
    target.on('error', () => client.destroy())
    client.pipe(target).pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://${password ? `ops:${encodeURIComponent(password)}@` : ''}127.0.0.1:${own}`,
    tunnels,
    /** How many tunnels were asked for and not opened, other than for the wrong password. */
    countUnanswered: () => unanswered,
    /** Whether it accepts connections and says nothing, or refuses every host. Closes the tunnels that are open. */
    behave(value: typeof behavior) {
      behavior = value
      for (const client of clients) client.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The same text until whoever reads it ends the connection, in parts that arrive one by one. */
async function* repeat(text: string) {
  for (;;) {
    yield text
    await setImmediate()
  }
}

/** Trusts the certificate of what only a proxy can reach. */
export function trustCertificate(): Disposable {
  const authorities = getCACertificates()
  setDefaultCACertificates([...authorities, CERTIFICATE])
  return { [Symbol.dispose]: () => setDefaultCACertificates(authorities) }
}

/** Slack and the service in one, over TLS: it says yes to everything. */
export async function startOutside() {
  const trust = trustCertificate()
  const requests: string[] = []
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const file = { upload_url: `${OUTSIDE}/upload`, file_id: 'F1' }
    const answer = {
      ok: true,
      message: 'OK',
      url: 'wss://db.example.com/socket',
      ...file,
      files: [],
      count: 0,
      results: [],
      data: { total: 0, count: 0, offset: 0, limit: 1, results: [] },
    }
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    requests.push('socket')
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      trust[Symbol.dispose]()
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
    },
  }
}
