import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { LAB_KEY, SELF_SIGNED_CERTIFICATE, TRUSTED_CERTIFICATE } from './lab-certificates.ts'

/** The small servers that the seeded checks watch, all on 127.0.0.1. */
export const TARGETS = ['tcp', 'http', 'https', 'self-signed'] as const
export type TargetName = (typeof TARGETS)[number]

export interface Lab extends AsyncDisposable {
  ports: Record<TargetName, number>
}

/**
 * The behavior of a host in the lab: always down, or alternately up and down for this many seconds. All other hosts are always
 * up.
 */
export type Behaviours = Readonly<Record<string, 'down' | number>>

/**
 * Starts the targets: a TCP listener, an HTTP server, and two HTTPS servers, with a certificate that the sandbox's checks trust
 * and with a self-signed one. The web servers respond 200, or 503 if the requested host is down.
 */
export async function startLab(behaviours: Behaviours, now: () => number = Date.now): Promise<Lab> {
  await using started = new AsyncDisposableStack()
  const answer = webAnswer(behaviours, now)
  const listen = async (server: NetServer): Promise<number> => {
    const sockets = new Set<Socket>()
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    started.defer(async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    })
    // A server that listens on TCP has an address with a port (node:net).
    return (server.address() as AddressInfo).port
  }
  const ports = {
    tcp: await listen(createTcpServer((socket) => socket.end())),
    http: await listen(createHttpServer(answer)),
    https: await listen(createHttpsServer({ key: LAB_KEY, cert: TRUSTED_CERTIFICATE }, answer)),
    'self-signed': await listen(createHttpsServer({ key: LAB_KEY, cert: SELF_SIGNED_CERTIFICATE }, answer)),
  }
  const running = started.move()
  return { ports, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function webAnswer(behaviours: Behaviours, now: () => number): RequestListener {
  return ({ headers }, response) => {
    const behaviour = behaviours[headers.host?.replace(/:\d+$/, '') ?? '']
    const isDown =
      typeof behaviour === 'number' ? Math.floor(now() / 1000 / behaviour) % 2 === 1 : behaviour === 'down'
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'text/plain' }).end(isDown ? 'down\n' : 'ok\n')
  }
}
