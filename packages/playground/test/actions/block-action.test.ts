import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { type Handler, startWorld } from '../app.ts'
import { confirm, option, plain } from '../validation/samples.ts'

const CARD: Json = [
  { type: 'section', block_id: 'top', text: { type: 'mrkdwn', text: '*web* is up' } },
  {
    type: 'actions',
    block_id: 'row',
    elements: [
      { type: 'button', action_id: 'refresh', text: plain('Refresh'), value: '42', style: 'primary' },
      { type: 'button', action_id: 'delete', text: plain('Delete'), confirm: confirm() },
      {
        type: 'static_select',
        action_id: 'status',
        options: [option('Up', 'up'), option('Down', 'down')],
        initial_option: option('Up', 'up'),
      },
      { type: 'overflow', action_id: 'more', options: [option('Edit', 'edit'), option('Mute', 'mute')] },
    ],
  },
]

const postCard: Handler = (sent) =>
  sent.body.command ? { json: { text: 'web is up', blocks: CARD, response_type: 'in_channel' } } : {}

describe('clicking and choosing in a message', () => {
  it.each([
    ['an unknown option', 'status', 'Sideways'],
    ['an unknown entry of an overflow menu', 'more', 'x'],
  ])('rejects %s', async (_problem, name, choice) => {
    await using world = await startWorld(postCard)
    const { message } = await world.slack.member.command('/hc')
    await expect(world.slack.member.choose(message, name, choice)).rejects.toThrow("isn't an option of")
  })

  it('says in which message of which channel it was', async () => {
    await using world = await startWorld(postCard)
    const { message } = await world.slack.member.command('/hc', '', { channel: 'operations' })
    await world.slack.member.click(message, 'Refresh', { until: () => true })
    expect(world.sent[1]?.body).toMatchObject({
      container: { message_ts: message?.ts, channel_id: 'C0OPERATNS', is_ephemeral: false },
      channel: { id: 'C0OPERATNS' },
      message: { ts: message?.ts },
    })
  })

  it('leaves the message out of the payload if it is ephemeral', async () => {
    await using world = await startWorld((sent) => (sent.body.command ? { json: { blocks: CARD } } : {}))
    const { message } = await world.slack.member.command('/hc')
    await world.slack.member.click(message, 'Refresh', { until: () => true })
    expect(world.sent[1]?.body).toMatchObject({ container: { is_ephemeral: true } })
    expect(world.sent[1]?.body).not.toHaveProperty('message')
    await expect(world.slack.admin.click(message, 'Refresh')).rejects.toThrow("can't see a message")
  })
})
