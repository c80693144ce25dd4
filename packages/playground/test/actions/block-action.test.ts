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
      { type: 'multi_external_select', action_id: 'find', min_query_length: 0, placeholder: plain('Find') },
    ],
  },
]

const postCard =
  (handleClicks: Handler = () => ({})): Handler =>
  (sent, count) =>
    sent.body.command
      ? { json: { text: 'web is up', blocks: CARD, response_type: 'in_channel' } }
      : handleClicks(sent, count)

describe('clicking and choosing in a message', () => {
  it('sends a button click as block_actions', async () => {
    await using world = await startWorld(postCard())
    const { message } = await world.slack.member.command('/hc')
    const clicking = world.slack.member.click(message, 'Refresh')
    await world.eventually('the action', () => world.sent.length === 2)
    expect(world.sent[1]?.body).toMatchObject({
      type: 'block_actions',
      user: { id: 'U0MEMBER01', username: 'member', team_id: 'T0PLAYGRND' },
      team: { id: 'T0PLAYGRND', domain: 'playground' },
      api_app_id: 'A0PLAYGRND',
      container: { type: 'message', message_ts: message?.ts, channel_id: 'C0GENERAL1', is_ephemeral: false },
      channel: { id: 'C0GENERAL1', name: 'general' },
      message: { ts: message?.ts, text: 'web is up', bot_id: 'B0PLAYGRND' },
      state: { values: { row: { status: { type: 'static_select', selected_option: { value: 'up' } } } } },
      actions: [
        { type: 'button', block_id: 'row', action_id: 'refresh', value: '42', text: plain('Refresh') },
      ],
    })
    await world.respond(world.sent[1]?.body.response_url, { text: 'web is down', replace_original: true })
    const answer = await clicking
    expect(answer.message).toMatchObject({ ts: message?.ts, text: 'web is down', blocks: [] })
  })

  it.each([
    ['an unknown option', 'status', 'Sideways'],
    ['an unknown entry of an overflow menu', 'more', 'x'],
    ['an option that the app never offered', 'find', 'x'],
  ])('rejects %s', async (_problem, name, choice) => {
    await using world = await startWorld(postCard())
    const { message } = await world.slack.member.command('/hc')
    await expect(world.slack.member.choose(message, name, choice)).rejects.toThrow("isn't an option of")
  })

  it('leaves the message out of the payload if it is ephemeral', async () => {
    await using world = await startWorld((sent) => (sent.body.command ? { json: { blocks: CARD } } : {}))
    const { message } = await world.slack.member.command('/hc')
    await world.slack.member.click(message, 'Refresh', { until: () => true })
    expect(world.sent[1]?.body).toMatchObject({ container: { is_ephemeral: true } })
    expect(world.sent[1]?.body).not.toHaveProperty('message')
    await expect(world.slack.admin.click(message, 'Refresh')).rejects.toThrow("can't see a message")
  })

  it('asks the app for the options of an external select, and sends chosen options', async () => {
    const offered = { options: [option('web-1', '1'), option('web-2', '2')] }
    await using world = await startWorld(
      postCard((sent) => (sent.body.type === 'block_suggestion' ? { json: offered } : {})),
    )
    const { message } = await world.slack.member.command('/hc')
    expect(await world.slack.member.options(message, 'Find', 'we')).toMatchObject({
      ok: true,
      options: offered.options,
    })
    expect(world.sent[1]?.body).toMatchObject({
      type: 'block_suggestion',
      action_id: 'find',
      block_id: 'row',
      value: 'we',
    })
    await world.slack.member.choose(message, 'find', ['2'], { until: () => true })
    expect(world.sent[2]?.body.actions).toMatchObject([{ selected_options: [option('web-2', '2')] }])
    await world.slack.member.choose(message, 'more', 'mute', { until: () => true })
    expect(world.sent[3]?.body.actions).toMatchObject([{ selected_option: option('Mute', 'mute') }])
  })
})
