import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ephemeral ports (Linux: from 32768), so the system doesn't give the port to anyone before it is used. */
const LOWEST = 10_000
const COUNT = 20_000
/** How far apart concurrent processes start to look. */
const APART = 31

let looks = 0

/** A port that nothing listens on, for programs that can't use port 0. */
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
