import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a store and its database server. It can break connections. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly url: string
  /** Breaks all current connections. New ones work. */
  cut(): void
  /** Makes the server unreachable until `restore`: connections are reset. */
  disconnect(): void
  /** Makes the server unresponsive until `restore`, when pending requests continue. */
  freeze(): void
  /**
   * Drops the server's response to the next commit of a transaction that has a statement with this text. The server does commit, but
   * the client waits for the response until `restore` breaks its connection.
   */
  loseCommitOf(text: string): void
  /** Whether the response to a commit has been dropped. */
  hasLost(): boolean
  restore(): void
}

export async function startDatabaseProxy(target: URL): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>()
  let isDisconnected = false
  let isFrozen = false
  let commitText: string | undefined
  let waitingClient: Socket | undefined
  const server = createServer((client) => {
    if (isDisconnected) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
      from.pipe(to)
      if (isFrozen) from.pause()
    }
    let sent = ''
    client.on('data', (bytes: Buffer) => {
      if (commitText === undefined) return
      sent += bytes.toString('latin1')
      const start = sent.toLowerCase().lastIndexOf(commitText)
      if (start < 0 || !/\bcommit\b/i.test(sent.slice(start))) return
      commitText = undefined
      waitingClient = client
      upstream.unpipe(client)
      upstream.resume()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  // The server is `listening` on a port, so its address has this type.
  url.port = String((server.address() as AddressInfo).port)
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: url.href,
    cut,
    disconnect() {
      isDisconnected = true
      cut()
    },
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    loseCommitOf(text) {
      commitText = text.toLowerCase()
    },
    hasLost: () => waitingClient !== undefined,
    restore() {
      waitingClient?.resetAndDestroy()
      isDisconnected = false
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
    },
  }
}
