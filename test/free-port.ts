import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to whoever asks for any (Linux: from 32768): nobody is given it before it is used. */
const LOWEST = 10_000
const COUNT = 20_000
/** Processes that look at the same time begin that far from each other. */
const APART = 31

let looks = 0

/** A port that nothing listens on, for what cannot be given port 0. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + ((process.pid * APART + looks) % COUNT)
    looks += 1
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
