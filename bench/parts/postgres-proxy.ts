import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What a client of PostgreSQL has sent. */
export interface Sent {
  /** Each of these waits for an answer: Sync, and a query in simple form. */
  roundTrips: number
  statements: number
  /** Statements that the server had to read anew, because they were sent in full. */
  parsed: number
}

export interface PostgresProxy extends AsyncDisposable {
  readonly url: string
  sent(): Sent
}

const LENGTH_BYTES = 4

/** Stands between a client and the server at `url`, and counts (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url)
  const sent: Sent = { roundTrips: 0, statements: 0, parsed: 0 }
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const count = counter(sent)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      // Each end hears of the other's; a cut connection is the client's to tell.
      socket.setNoDelay(true).on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', count)
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  // A server that listens on TCP has an address with a port.
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    sent: () => ({ ...sent }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Reads one connection's messages as they come in pieces; the first has no type. */
export function counter(sent: Sent): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const typeBytes = isStarted ? 1 : 0
      if (rest.length < typeBytes + LENGTH_BYTES) return
      const end = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < end) return
      if (isStarted) add(sent, String.fromCharCode(rest[0] ?? 0))
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}

function add(sent: Sent, type: string): void {
  if (type === 'S' || type === 'Q') sent.roundTrips += 1
  if (type === 'E' || type === 'Q') sent.statements += 1
  if (type === 'P' || type === 'Q') sent.parsed += 1
}
