import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findFreePort } from '../free-port.ts'
import { killAfterTest } from '../process.ts'
import { readSource } from '../source-files.ts'

const PATHS = ['haproxy', '/usr/sbin/haproxy', '/usr/local/sbin/haproxy']

/** The path of HAProxy. Returns undefined if it isn't installed, but throws if REQUIRE_HAPROXY is set. */
export function findHaproxy(): string | undefined {
  const found = PATHS.find((path) => spawnSync(path, ['-v']).status === 0)
  if (found === undefined && process.env.REQUIRE_HAPROXY) throw new Error('HAProxy isn’t installed.')
  return found
}

async function sendCommand(control: string, command: string): Promise<string> {
  const socket = connect(control)
  socket.end(`${command}\n`)
  return text(socket)
}

/** Starts HAProxy with the shipped configuration, in front of these two ports. */
export async function startHaproxy(program: string, folder: string, ports: readonly [number, number]) {
  const port = await findFreePort()
  const file = join(folder, 'haproxy.cfg')
  const control = join(folder, 'haproxy.sock')
  const [firstPort, secondPort] = ports
  writeFileSync(
    file,
    readSource('docs/replicas/haproxy.cfg')
      .replace('global\n', `global\n  stats socket ${control} mode 600\n`)
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replaceAll('signalman-1:3000', `127.0.0.1:${firstPort}`)
      .replaceAll('signalman-2:3000', `127.0.0.1:${secondPort}`),
  )
  const child = killAfterTest(spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] }))
  const ended = once(child, 'exit')
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return {
    url: `http://127.0.0.1:${port}`,
    /** What HAProxy has printed, such as when and why it took a server out. */
    getOutput: () => output,
    async isUsed(index: 0 | 1): Promise<boolean> {
      const server = index === 0 ? 'one' : 'two'
      const rows = (await sendCommand(control, 'show stat')).split('\n').map((line) => line.split(','))
      return rows.some(
        ([proxy, name, ...more]) => proxy === 'signalman' && name === server && more.includes('UP'),
      )
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
