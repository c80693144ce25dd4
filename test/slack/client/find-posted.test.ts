import { createDriver } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { startFakeSlack } from '../fake-slack.ts'
import { startSlack } from '../playground.ts'

it('finds only messages posted with the given identifier in the same channel or thread', async () => {
  await using playground = await startSlack()
  const slack = createSlackClient(playground.botToken, playground.apiUrl)
  const { member } = createDriver(playground.url)
  const { channels } = await member.state()
  const findChannelId = (name: string): string => channels.find((channel) => channel.name === name)?.id ?? ''
  const [channelId, otherChannelId] = [findChannelId('general'), findChannelId('operations')]
  const sentAt = new Date()
  const message = { text: 'web-1 is down', blocks: [] }
  const ts = await slack.post({ channelId }, message, { postId: 'card' })
  const reply = await slack.post({ channelId, threadTs: ts }, message, { postId: 'card.thread' })
  await slack.post({ channelId }, message, { postId: 'another' })
  await slack.edit({ channelId, ts }, { text: 'web-1 is up', blocks: [] })
  // Push the posts with an ID off the first page of the history.
  for (let count = 0; count < 105; count += 1)
    await slack.post({ channelId }, message, { postId: `next-${count}` })
  const find = (
    postId: string,
    overrides: { channelId?: string; threadTs?: string; since?: Date; until?: Date } = {},
  ) => slack.findPosted({ channelId, ...overrides }, { postId, since: sentAt, until: sentAt, ...overrides })
  expect(await find('card')).toEqual({ channelId, ts })
  expect(await find('card.thread', { threadTs: ts })).toEqual({ channelId, ts: reply })
  // Wherever the second page begins.
  for (let count = 0; count < 10; count += 1) expect(await find(`next-${count}`)).toBeDefined()
  expect(await find('card', { threadTs: ts })).toEqual({ channelId, ts })
  // The clocks may differ by ten minutes.
  expect(await find('card', { since: new Date(sentAt.getTime() + 600_000) })).toEqual({ channelId, ts })
  expect(await find('card', { until: new Date(sentAt.getTime() - 600_000) })).toEqual({ channelId, ts })
  for (const [postId, overrides] of [
    ['card.thread', {}],
    ['never posted', {}],
    ['card', { channelId: otherChannelId }],
    ['card', { until: new Date(sentAt.getTime() - 3_600_000) }],
    ['card', { since: new Date(sentAt.getTime() + 3_600_000) }],
  ] as const)
    expect(await find(postId, overrides)).toBeUndefined()
})

it('finds a message in a person’s DM, and nothing before there is one', async () => {
  await using playground = await startSlack()
  const slack = createSlackClient(playground.botToken, playground.apiUrl)
  const find = () => slack.findPosted({ to: 'U0MEMBER01' }, { postId: 'file', since: new Date() })
  expect(await find()).toBeUndefined()
  await slack.postDirect('U0ADMIN001', { text: 'x', blocks: [] }, { postId: 'file' })
  const posted = await slack.postDirect('U0MEMBER01', { text: 'x', blocks: [] }, { postId: 'file' })
  expect(await find()).toEqual(posted)
})

it.each([
  { messages: 'messages of another app', app: 'B0ANOTHER1', user: 'U0ANOTHER1' },
  { messages: 'messages without an author', app: undefined, user: undefined },
])('skips $messages with the same metadata', async ({ app, user }) => {
  const metadata = { event_type: 'posted_message', event_payload: { id: 'card' } }
  const history = { ok: true, messages: [{ ts: '1.000001', bot_id: app, user, metadata }] }
  await using slack = await startFakeSlack((method) =>
    method === 'auth.test' ? { ok: true, user_id: 'U0OWN00001', bot_id: 'B0OWN00001' } : history,
  )
  const client = createSlackClient('xoxb-x', slack.url)
  expect(await client.findPosted({ channelId: 'C1' }, { postId: 'card', since: new Date() })).toBeUndefined()
})
