import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isFields, objectsIn } from '../../src/protocol/json.ts'
import { FULL_MANIFEST, readId, startWorld, type World } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })
const GENERAL = 'C0GENERAL1'
const post = async (world: World, text: string, extraFields: object = {}) =>
  String((await world.api('chat.postMessage', { channel: GENERAL, text, ...extraFields })).ts)
const messageTexts = (answer: { messages?: unknown }) =>
  (Array.isArray(answer.messages) ? answer.messages : []).map(({ text }) => text)
const nextCursor = (answer: { response_metadata?: unknown }) =>
  isFields(answer.response_metadata) ? answer.response_metadata.next_cursor : undefined

describe('Web API calls from other client libraries', () => {
  it('can have the client ID and secret in the header (Slack’s Python library)', async () => {
    await using world = await start()
    const exchangeCode = async (credentials: string) => {
      const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      const body = new URLSearchParams({ code: 'none' })
      const init = { method: 'POST', headers, body }
      return (await fetch(`${world.playground.url}/api/oauth.v2.access`, init)).json()
    }
    const { clientId, clientSecret } = world.playground
    expect(await exchangeCode(`${clientId}:nope`)).toMatchObject({ error: 'bad_client_secret' })
    expect(await exchangeCode(`${clientId}:${clientSecret}`)).toMatchObject({ error: 'invalid_code' })
  })

  it('can have an HTTP/2 upgrade header (Java’s HTTP client)', async () => {
    await using world = await start()
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAA' }
    const call = request(`${world.playground.url}/api/api.test`, { headers }).end()
    const [response] = await once(call, 'response')
    expect(response.statusCode).toBe(200)
    response.resume()
  })

  it('can share a file in several channels at once', async () => {
    await using world = await start()
    const { upload_url, file_id } = await world.api('files.getUploadURLExternal', {
      filename: 'a.txt',
      length: 2,
    })
    await fetch(String(upload_url), { method: 'POST', body: 'ab' })
    const files = JSON.stringify([{ id: file_id }])
    const completion = { files, channels: `${GENERAL}, C0OPERATNS`, initial_comment: 'Here' }
    expect(await world.api('files.completeUploadExternal', completion)).toMatchObject({ ok: true })
    for (const channel of ['general', 'operations'])
      expect((await world.slack.member.messages(channel)).at(-1)).toMatchObject({
        text: 'Here',
        files: [{ id: file_id }],
      })
  })

  it('return each message once even if messages are added or deleted between pages', async () => {
    await using world = await start()
    const timestamps = []
    for (const text of ['1', '2', '3']) timestamps.push(await post(world, text))
    const first = await world.api('conversations.history', { channel: GENERAL, limit: 2 })
    expect(messageTexts(first)).toEqual(['3', '2'])
    await post(world, '4')
    const nextPage = { channel: GENERAL, limit: 2, cursor: nextCursor(first) }
    expect(messageTexts(await world.api('conversations.history', nextPage))).toEqual(['1'])
    await world.api('chat.delete', { channel: GENERAL, ts: timestamps[0] })
    expect(await world.api('conversations.history', nextPage)).toMatchObject({ ok: true, messages: [] })
    const people = await world.api('users.list', { limit: 1 })
    const { members } = await world.api('users.list', { limit: 1, cursor: nextCursor(people) })
    const id = readId(objectsIn(members)[0])
    expect(Buffer.from(String(nextCursor(people)), 'base64').toString()).toBe(`next:${id}`)
    // This cursor is "nope" in base64, without the prefix "next:".
    expect(await world.api('users.list', { cursor: 'bm9wZQ==' })).toMatchObject({ error: 'invalid_cursor' })
  })

  it('can reply to a reply, which stays in the same thread', async () => {
    await using world = await start()
    const root = await post(world, 'root')
    const reply = await post(world, 'reply', { thread_ts: root })
    const { member } = world.slack
    await member.reply({ channel: GENERAL, ts: reply }, 'from a person')
    const { messages } = await world.api('conversations.replies', { channel: GENERAL, ts: root })
    expect(messageTexts({ messages })).toEqual(['root', 'reply', 'from a person'])
  })

  it('can get permalinks of messages in an archived channel, but can’t edit the messages', async () => {
    await using world = await start()
    await world.api('conversations.create', { name: 'old' })
    const all = objectsIn((await world.api('conversations.list')).channels)
    const id = readId(all.find(({ name }) => name === 'old'))
    const { ts: messageTs } = await world.api('chat.postMessage', { channel: id, text: 'x' })
    await world.api('conversations.archive', { channel: id })
    const link = { channel: id, message_ts: messageTs }
    expect(await world.api('chat.getPermalink', link)).toMatchObject({ ok: true })
    expect(await world.api('chat.update', { channel: id, ts: messageTs, text: 'y' })).toMatchObject({
      error: 'is_inactive',
    })
    expect(await world.api('conversations.leave', { channel: id })).toMatchObject({ error: 'is_archived' })
  })

  it('can get the app’s own presence', async () => {
    await using world = await start()
    expect(await world.api('users.getPresence')).toMatchObject({ presence: 'active' })
    expect(await world.api('users.getPresence', { user: 'U0NOPE' })).toMatchObject({
      error: 'user_not_found',
    })
  })

  it('can look up people by email address, ignoring case', async () => {
    await using world = await startWorld()
    await world.slack.load({ people: [{ name: 'eve', email: 'Eve@Example.com' }] })
    expect(await world.api('users.lookupByEmail', { email: 'eve@example.COM' })).toMatchObject({
      user: { name: 'eve' },
    })
  })
})

describe('a person', () => {
  it.each([
    [
      'join a private channel uninvited',
      'membership',
      { user: 'U0ADMIN001', channel: 'hidden' },
      'channel_not_found',
    ],
    [
      'join a channel as a guest',
      'membership',
      { user: 'U0GUEST001', channel: 'random' },
      'user_is_restricted',
    ],
    ['leave #general', 'membership', { channel: 'general', leave: true }, 'cant_leave_general'],
    ['give a channel a name that is taken', 'channel', { channel: 'random', name: 'general' }, 'name_taken'],
    ['give a channel an invalid name', 'new-channel', { name: 'Not One' }, 'invalid_name_specials'],
    ['post in an archived channel', 'message', { channel: 'closed', text: 'x' }, 'is_archived'],
    ['set the topic of an archived channel', 'channel', { channel: 'closed', topic: 'x' }, 'is_archived'],
  ])('can’t %s', async (_action, path, body, error) => {
    await using world = await start()
    const { member } = world.slack
    await member.createChannel('hidden', { privacy: 'private' })
    await member.createChannel('closed')
    await member.updateChannel('closed', { archived: true })
    expect(await world.callControlApi(path, { user: 'U0MEMBER01', ...body })).toMatchObject({
      ok: false,
      error,
    })
  })

  it('can’t edit or delete messages that Slack posted', async () => {
    await using world = await start()
    const { member } = world.slack
    await member.updateChannel('random', { topic: 'new' })
    const [topicMessage] = (await member.messages('random')).slice(-1)
    if (!topicMessage) throw new Error('Slack posted nothing.')
    await expect(member.edit(topicMessage, 'mine')).rejects.toThrow("didn't write")
    await expect(member.delete(topicMessage)).rejects.toThrow("didn't write")
  })

  it('doesn’t get the app’s pushed modal after closing the modal while it was being submitted', async () => {
    const submissionReply = Promise.withResolvers<object>()
    const view = {
      type: 'modal',
      title: { type: 'plain_text', text: 'One' },
      submit: { type: 'plain_text', text: 'Send' },
      blocks: [{ type: 'divider' }],
    }
    await using world = await startWorld(async ({ body }) => {
      if (body.type === 'view_submission')
        return { json: JSON.parse(JSON.stringify(await submissionReply.promise)) }
      if (body.trigger_id) await world.api('views.open', { trigger_id: body.trigger_id, view })
      return {}
    })
    const { member } = world.slack
    await member.command('/hc', '', { until: ({ view: shown }) => shown !== undefined })
    const { view: opened } = await member.view()
    const sending = world.callControlApi('submit', { user: member.id, viewId: opened.id, values: {} })
    await expect.poll(() => world.sent.some(({ body }) => body.type === 'view_submission')).toBe(true)
    await member.close()
    submissionReply.resolve({ response_action: 'push', view })
    expect(await sending).toMatchObject({ ok: true })
    expect(await member.views()).toEqual([])
  })
})
