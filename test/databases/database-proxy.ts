import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between a store and its server that can break connections. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly url: string
  /** Breaks all current connections. New ones work. */
  cut(): void
  /** Makes the server unreachable until `back`: connections are refused. */
  away(): void
  /** Makes the server unresponsive until `back`, when pending requests continue. */
  silent(): void
  /**
   * Loses the response to the next commit of a transaction in which this text was sent. The server gets the commit. At `back`,
   * the connection breaks.
   */
  loseCommitOf(text: string): void
  /** Whether that has happened. */
  hasLost(): boolean
  back(): void
}

export async function startDatabaseProxy(target: URL): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>()
  let isAway = false
  let isSilent = false
  let wanted: string | undefined
  let lost: Socket | undefined
  const server = createServer((inward) => {
    if (isAway) {
      inward.resetAndDestroy()
      return
    }
    const outward = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
      one.pipe(other)
      if (isSilent) one.pause()
    }
    let said = ''
    inward.on('data', (bytes: Buffer) => {
      if (wanted === undefined) return
      said += bytes.toString('latin1')
      const begun = said.toLowerCase().lastIndexOf(wanted)
      if (begun < 0 || !/\bcommit\b/i.test(said.slice(begun))) return
      wanted = undefined
      lost = inward
      outward.unpipe(inward)
      outward.resume()
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
    away() {
      isAway = true
      cut()
    },
    silent() {
      isSilent = true
      for (const socket of sockets) socket.pause()
    },
    loseCommitOf(text) {
      wanted = text.toLowerCase()
    },
    hasLost: () => lost !== undefined,
    back() {
      lost?.resetAndDestroy()
      isAway = false
      isSilent = false
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
    },
  }
}
