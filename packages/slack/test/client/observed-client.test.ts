import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createSlackClient } from '../../src/client/slack-client.ts'

const SAID = { text: 'web-1 is down', blocks: [] }

/** A Slack in which requests about channels hang until `release`. It records the requests. */
async function startHanging() {
  const asked: string[] = []
  const held: ServerResponse[] = []
  const answer = (response: ServerResponse): unknown =>
    response.setHeader('content-type', 'application/json').end('{"ok":true,"ts":"1.0"}')
  const server = createServer((request, response) => {
    const method = (request.url ?? '').replace('/api/', '')
    asked.push(method)
    if (method === 'conversations.info') held.push(response)
    else answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/`,
    asked,
    held,
    release: () => held.splice(0).map(answer),
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

it('checks right before sending whether a call may still be sent, and otherwise doesn’t send it', async () => {
  await using slack = await startHanging()
  const client = createSlackClient('xoxb-1', slack.url)
  const hanging = Array.from({ length: 20 }, () => client.channelOf('C1'))
  await expect.poll(() => slack.held.length).toBe(20)
  const now = { isTooLate: false }
  const beforeRequest = (): void => {
    if (now.isTooLate) throw new Error('Too late.')
  }
  const calls = [
    client.post({ channelId: 'C1' }, SAID, { beforeRequest }),
    client.postDirect('U1', SAID, { beforeRequest }),
    client.edit({ channelId: 'C1', ts: '1.0' }, SAID, { beforeRequest }),
  ]
  const ended = Promise.allSettled(calls)
  now.isTooLate = true
  slack.release()
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await Promise.all(hanging)
  expect(new Set(slack.asked)).toEqual(new Set(['conversations.info']))
  now.isTooLate = false
  expect(await client.post({ channelId: 'C1' }, SAID, { beforeRequest })).toBe('1.0')
})
