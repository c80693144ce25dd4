import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ephemeral ports (from 32768 on Linux), so that the system doesn't assign the port to another socket. */
const FIRST_PORT = 10_000
const COUNT = 20_000
/** Test processes start their search at different ports: consecutive process IDs are this many ports apart. */
const STRIDE = 31

let tries = 0

/** Finds a port that no other process listens on. For programs that can't use port 0. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + ((process.pid * STRIDE + tries) % COUNT)
    tries += 1
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
