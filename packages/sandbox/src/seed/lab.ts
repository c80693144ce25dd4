import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { LAB_KEY, TRUSTED_CERTIFICATE } from './lab-certificates.ts'

/** The local servers that the example checks watch, all on 127.0.0.1. Together, they are the lab. */
export type TargetName = 'tcp' | 'http' | 'https'

export interface Lab extends AsyncDisposable {
  ports: Record<TargetName, number>
  /** Stops a host of the web servers, or starts it again. */
  setStopped(host: string, isStopped: boolean): void
}

/**
 * Starts a TCP server, an HTTP server, and an HTTPS server with a certificate that the sandbox's checks trust. The web servers
 * respond 200, or 503 if the requested host is stopped.
 */
export async function startLab(initiallyStopped: Iterable<string> = []): Promise<Lab> {
  await using started = new AsyncDisposableStack()
  const stoppedHosts = new Set(initiallyStopped)
  const listener: RequestListener = ({ headers }, response) => {
    const isStopped = stoppedHosts.has(headers.host?.replace(/:\d+$/, '') ?? '')
    response
      .writeHead(isStopped ? 503 : 200, { 'content-type': 'text/plain' })
      .end(isStopped ? 'down\n' : 'ok\n')
  }
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
    http: await listen(createHttpServer(listener)),
    https: await listen(createHttpsServer({ key: LAB_KEY, cert: TRUSTED_CERTIFICATE }, listener)),
  }
  const running = started.move()
  return {
    ports,
    setStopped: (host, isStopped) => void (isStopped ? stoppedHosts.add(host) : stoppedHosts.delete(host)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
