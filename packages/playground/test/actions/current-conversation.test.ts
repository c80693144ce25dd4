import { describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const select = (type: string, extraFields: Fields = {}): Fields => ({
  type: 'input',
  block_id: type,
  label: plain(type),
  element: { type, action_id: 'v', default_to_current_conversation: true, ...extraFields },
})
const view: Fields = {
  type: 'modal',
  title: plain('Watch'),
  submit: plain('Save'),
  blocks: [
    select('conversations_select'),
    select('multi_conversations_select'),
    { ...select('conversations_select', { initial_conversation: 'C0GENERAL1' }), block_id: 'preset' },
    { type: 'actions', elements: [{ type: 'button', action_id: 'push', text: plain('Push') }] },
  ],
}
const toJson = (state: Json | undefined) => JSON.stringify(state)

function openModalOnCommand(world: World): void {
  world.setHandler(({ body }) => {
    if (body.command) void world.api('views.open', { trigger_id: body.trigger_id, view })
    if (body.type === 'block_actions') void world.api('views.push', { trigger_id: body.trigger_id, view })
    return {}
  })
}

describe('default_to_current_conversation', () => {
  it('selects the channel that the modal was opened from, even in a pushed view', async () => {
    await using world = await startWorld()
    openModalOnCommand(world)
    const { member } = world.slack
    const { view: first } = await member.command('/hc', '', { channel: 'operations' })
    await member.click(first, 'Push', { until: ({ view: top }) => top?.view.id !== first?.view.id })
    await member.submit()
    await member.submit()
    const values = world.sent.flatMap(({ body }) =>
      body.type === 'view_submission' ? [JSON.parse(JSON.stringify(body.view)).state.values] : [],
    )
    expect(values).toHaveLength(2)
    for (const state of values) {
      expect(toJson(state.conversations_select)).toContain('"selected_conversation":"C0OPERATNS"')
      expect(toJson(state.multi_conversations_select)).toContain('"selected_conversations":["C0OPERATNS"]')
      expect(toJson(state.preset)).toContain('"selected_conversation":"C0GENERAL1"')
    }
  })
})

it('takes a conversation by its name, of the person’s workspace, and only one that exists', async () => {
  await using world = await startWorld()
  openModalOnCommand(world)
  const { member } = world.slack
  await member.command('/hc')
  await expect(member.submit({ conversations_select: '#nowhere' })).rejects.toThrow(
    '"#nowhere" isn\'t a choice of v: nothing has this ID or name',
  )
  await member.submit({ conversations_select: '#general', preset: 'U0ADMIN001' })
  const { body } = world.sent.at(-1) ?? {}
  expect(body).toMatchObject({
    view: {
      state: {
        values: {
          conversations_select: { v: { selected_conversation: 'C0GENERAL1' } },
          preset: { v: { selected_conversation: 'U0ADMIN001' } },
        },
      },
    },
  })
})
