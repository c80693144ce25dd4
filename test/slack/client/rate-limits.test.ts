import { expect, it } from 'vitest'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { retryAfterMs } from '../../../packages/slack/src/client/slack-errors.ts'
import { startFakeSlack } from '../fake-slack.ts'

it('calls a method in a channel again only when Slack takes it, and other ones at once', async () => {
  const asked: string[] = []
  await using server = await startFakeSlack((method, args, response) => {
    asked.push(`${method} ${args.get('channel')}`)
    if (method === 'chat.postMessage' && args.get('channel') === 'C1')
      return void response.writeHead(429, { 'retry-after': '30' }).end()
    return { ok: true, ts: '1.1' }
  })
  const slack = createSlackClient('xoxb-1', server.url)
  const post = (channelId: string) => slack.post({ channelId }, { text: 'web is down', blocks: [] })
  for (const _ of [1, 2]) {
    const failure = await post('C1').catch(retryAfterMs)
    expect(failure).toBeGreaterThan(20_000)
    expect(failure).toBeLessThanOrEqual(30_000)
  }
  expect(await post('C2')).toBe('1.1')
  await slack.edit({ channelId: 'C1', ts: '1.1' }, { text: 'web is up', blocks: [] })
  expect(asked).toEqual(['chat.postMessage C1', 'chat.postMessage C2', 'chat.update C1'])
})

it('calls it again after the time that Slack said', async () => {
  let calls = 0
  await using server = await startFakeSlack((_, __, response) => {
    calls += 1
    if (calls === 1) return void response.writeHead(429, { 'retry-after': '1' }).end()
    return { ok: true, ts: '1.1' }
  })
  const slack = createSlackClient('xoxb-1', server.url)
  const post = () => slack.post({ channelId: 'C1' }, { text: 'web is down', blocks: [] })
  await expect(post()).rejects.toThrow('rate-limit')
  await expect.poll(() => post().catch(() => undefined)).toBe('1.1')
  expect(calls).toBe(2)
})
