import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { findHaproxy, startHaproxy } from './haproxy.ts'

const haproxy = findHaproxy()
/** Longer than the timeout for Slack's commands. */
const SLOW_MS = 2500

async function startReplica(requested: string[]) {
  const server = createServer(({ url = '' }, answer) => {
    if (url === '/readyz') return void answer.end()
    requested.push(url)
    setTimeout(() => answer.end('done'), SLOW_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return { port, [Symbol.dispose]: () => void server.close() }
}

it.skipIf(haproxy === undefined)('HAProxy waits for a slow installation, and sends it once', async () => {
  const requested: string[] = []
  using folder = makeFolder()
  using first = await startReplica(requested)
  using second = await startReplica(requested)
  await using proxy = await startHaproxy(haproxy ?? '', folder.path, [first.port, second.port])
  await expect.poll(async () => (await fetch(`${proxy.url}/readyz`)).status).toBe(200)
  const paths = ['/slack/oauth_redirect?code=c&state=s', '/slack/install']
  const answers = await Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(`${proxy.url}${path}`)
      return `${answer.status} ${await answer.text()}`
    }),
  )
  expect(answers).toEqual(['200 done', '200 done'])
  expect(requested.toSorted()).toEqual(paths.toSorted())
})
