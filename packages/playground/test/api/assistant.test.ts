import { describe, expect, it } from 'vitest'
import { FULL_MANIFEST, receivedEvents, startWorld } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST, rate: 'off' })

describe('an assistant thread', () => {
  it('tells the app which channel the person is viewing, and shows the app’s title, prompts, and status', async () => {
    await using world = await start()
    const { ts } = await world.callControlApi('thread', { user: 'U0MEMBER01', from: 'C0GENERAL1' })
    const { assistant_thread } = await world.waitForEvent('assistant_thread_started')
    expect(assistant_thread).toMatchObject({
      user_id: 'U0MEMBER01',
      thread_ts: ts,
      context: { channel_id: 'C0GENERAL1', team_id: 'T0PLAYGRND', enterprise_id: null },
    })
    const { channel_id = '' } = JSON.parse(JSON.stringify(assistant_thread))
    const thread = { channel_id, thread_ts: ts }
    const prompts = [{ title: 'What is down?', message: 'What is down now?' }]
    const calls: [string, object][] = [
      ['setTitle', { ...thread, title: 'What is down' }],
      ['setSuggestedPrompts', { ...thread, prompts, title: 'Try' }],
      ['setStatus', { ...thread, status: 'is thinking…' }],
    ]
    for (const [name, args] of calls)
      expect(await world.api(`assistant.threads.${name}`, args)).toMatchObject({ ok: true })
    const findParent = async () =>
      (await world.slack.member.messages(channel_id)).find((message) => message.ts === ts)
    expect(await findParent()).toMatchObject({
      text: 'What is down',
      subtype: 'assistant_app_thread',
      assistant: { status: 'is thinking…', prompts, heading: 'Try' },
    })
    const { messages } = await world.api('conversations.replies', { channel: channel_id, ts: ts ?? '' })
    expect(messages).toMatchObject([{ assistant_app_thread: { title: 'What is down' } }])
    await world.api('chat.postMessage', { channel: channel_id, thread_ts: ts, text: 'Nothing is down.' })
    expect((await findParent())?.assistant?.status).toBe('')
  })

  it('has no context if the person starts it from the direct message with the app', async () => {
    await using world = await start()
    await world.slack.member.startThread()
    const { assistant_thread } = await world.waitForEvent('assistant_thread_started')
    expect(assistant_thread).toHaveProperty('context', {})
  })

  it('accepts replies, and sends an event when the person views another channel', async () => {
    await using world = await start()
    const { member } = world.slack
    const thread = await member.startThread({ from: 'general' })
    expect((await member.reply(thread, 'What is down?')).outcome.ok).toBe(true)
    const findQuestion = () => receivedEvents(world).find(({ text }) => text === 'What is down?')
    await world.eventually('the reply', () => findQuestion() !== undefined)
    expect(findQuestion()).toMatchObject({ thread_ts: thread.ts, channel: thread.channel })
    expect(await member.viewChannel('operations', thread)).toMatchObject({ ok: true, ts: thread.ts })
    expect(await world.waitForEvent('assistant_thread_context_changed')).toMatchObject({
      assistant_thread: { thread_ts: thread.ts, context: { channel_id: 'C0OPERATNS' } },
    })
    await expect(member.viewChannel('operations', { ts: '1.000001' })).rejects.toThrow(
      'has no thread 1.000001',
    )
    await expect(member.startThread({ from: 'C0WSGENERL' })).rejects.toThrow("isn't in a channel")
  })

  it('is available only if the manifest has an assistant', async () => {
    await using world = await startWorld()
    expect(await world.callControlApi('thread', { user: 'U0MEMBER01' })).toMatchObject({
      error: 'no_assistant',
    })
  })
})
