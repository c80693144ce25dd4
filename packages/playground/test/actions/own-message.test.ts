import { describe, expect, it } from 'vitest'
import { isFields } from '../../src/protocol/json.ts'
import { type AppRequest, startWorld } from '../app.ts'

const messageEvents = (sent: readonly AppRequest[]) =>
  sent.flatMap(({ body }) => (isFields(body.event) && body.event.type === 'message' ? [body.event] : []))

describe('a person’s own message', () => {
  it('can be edited, and the app gets both the new and the old text', async () => {
    await using world = await startWorld()
    const { ts } = await world.slack.member.say('frist', { channel: 'dm' })
    const [message] = await world.slack.member.messages('dm')
    const edit = { channel: message?.channel, ts, text: 'first & <b> @admin' }
    expect(await world.callControlApi('edit', edit)).toMatchObject({ ok: true, ts })
    const text = 'first &amp; &lt;b&gt; <@U0ADMIN001>'
    expect(await world.slack.member.messages('dm')).toMatchObject([{ ts, text, edited: true }])
    expect(messageEvents(world.sent).at(-1)).toMatchObject({
      subtype: 'message_changed',
      hidden: true,
      channel_type: 'im',
      message: { ts, text, user: 'U0MEMBER01' },
      previous_message: { ts, text: 'frist' },
    })
  })

  it('can’t be edited by anyone else, or edited to be empty', async () => {
    await using world = await startWorld()
    const channel = 'C0GENERAL1'
    const { ts } = await world.slack.member.say('mine')
    const byAdmin = { user: 'U0ADMIN001', channel, ts, text: 'theirs' }
    expect(await world.callControlApi('edit', byAdmin)).toMatchObject({ error: 'cant_update_message' })
    expect(await world.callControlApi('edit', { channel, ts, text: ' ' })).toMatchObject({
      error: 'no_text',
    })
    expect(await world.slack.member.messages()).toMatchObject([{ text: 'mine', edited: false }])
  })
})
