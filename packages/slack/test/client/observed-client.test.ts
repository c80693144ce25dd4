import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createSlackClient } from '../../src/client/slack-client.ts'

const MESSAGE = { text: 'web-1 is down', blocks: [] }

/** A Slack in which requests about channels hang until `release`. It records the methods of all requests. */
async function startHangingSlack() {
  const methods: string[] = []
  const hanging: ServerResponse[] = []
  const answer = (response: ServerResponse): unknown =>
    response.setHeader('content-type', 'application/json').end('{"ok":true,"ts":"1.0"}')
  const server = createServer((request, response) => {
    const method = (request.url ?? '').replace('/api/', '')
    methods.push(method)
    if (method === 'conversations.info') hanging.push(response)
    else answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/`,
    methods,
    hanging,
    release: () => hanging.splice(0).map(answer),
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

it('calls beforeRequest right before sending, and doesn’t send the request if it throws', async () => {
  await using slack = await startHangingSlack()
  const client = createSlackClient('xoxb-1', slack.url)
  const hanging = Array.from({ length: 20 }, () => client.readChannel('C1'))
  await expect.poll(() => slack.hanging.length).toBe(20)
  let isTooLate = false
  const beforeRequest = (): void => {
    if (isTooLate) throw new Error('Too late.')
  }
  const calls = [
    client.post({ channelId: 'C1' }, MESSAGE, { beforeRequest }),
    client.postDirect('U1', MESSAGE, { beforeRequest }),
    client.edit({ channelId: 'C1', ts: '1.0' }, MESSAGE, { beforeRequest }),
  ]
  const ended = Promise.allSettled(calls)
  isTooLate = true
  slack.release()
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await Promise.all(hanging)
  expect(new Set(slack.methods)).toEqual(new Set(['conversations.info']))
  isTooLate = false
  expect(await client.post({ channelId: 'C1' }, MESSAGE, { beforeRequest })).toBe('1.0')
})
