import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { KEY_A } from './databases.ts'
import { startPostgresDatabase } from './postgres.ts'

/** Stands between the store and the server, and cuts what goes through it. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((inward) => {
    const outward = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [inward, outward],
      [outward, inward],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: url.href,
    cut,
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
    },
  }
}

describe('a PostgreSQL connection that breaks', () => {
  it('fails what was asked on it, and the process and the store live on', async () => {
    await using database = await startPostgresDatabase()
    await using proxy = await startProxy(new URL(database.url))
    await using store = await openStore({ url: proxy.url, keys: KEY_A })
    for (let round = 0; round < 3; round += 1) {
      // An uncaught error event here would end the process, and with it this test run.
      const asked = Array.from({ length: 8 }, (_, index) =>
        store.claims.claim(`${round} ${index}`, new Date()),
      )
      proxy.cut()
      await Promise.allSettled(asked)
      await expect.poll(() => store.ping().then(() => 'answers'), { timeout: 5000 }).toBe('answers')
    }
  })
})
