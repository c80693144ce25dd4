import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { textOf } from '../source-files.ts'

const PLACES = ['haproxy', '/usr/sbin/haproxy', '/usr/local/sbin/haproxy']

/** Where HAProxy is; undefined where there is none, unless the environment says that there must be one. */
export function findHaproxy(): string | undefined {
  const found = PLACES.find((place) => spawnSync(place, ['-v']).status === 0)
  if (found === undefined && process.env.REQUIRE_HAPROXY) throw new Error('There is no HAProxy here.')
  return found
}

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** HAProxy with the configuration that is shipped, in front of these two ports. */
export async function startHaproxy(program: string, folder: string, ports: readonly [number, number]) {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  const [one, two] = ports
  writeFileSync(
    file,
    textOf('docs/replicas/haproxy.cfg')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('signalman-1:3000', `127.0.0.1:${one}`)
      .replace('signalman-2:3000', `127.0.0.1:${two}`),
  )
  const child: ChildProcess = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
