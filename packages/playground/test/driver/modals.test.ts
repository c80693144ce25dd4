import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'

const buildModal = (title: string) => ({
  type: 'modal',
  title: { type: 'plain_text', text: title },
  submit: { type: 'plain_text', text: 'Send' },
  blocks: [
    {
      type: 'input',
      block_id: 'name',
      label: { type: 'plain_text', text: 'Name' },
      element: { type: 'plain_text_input', action_id: 'name' },
    },
  ],
})

describe('filling in a modal', () => {
  it('fills in the modal passed as `modal`, which must be on top of the stack', async () => {
    await using world = await startWorld((_, count) =>
      count === 2 ? { json: { response_action: 'push', view: buildModal('Second') } } : {},
    )
    const { member } = world.slack
    const opening = member.command('/hc', '', { until: ({ view }) => view !== undefined })
    await world.eventually('the command', () => world.sent.length === 1)
    await world.api('views.open', { trigger_id: world.sent[0]?.body.trigger_id, view: buildModal('First') })
    const { view: first } = await opening
    await member.fill({ Name: 'a' }, { modal: first })
    const { view: second } = await member.submit({}, { modal: first })
    await expect(member.submit({}, { modal: first })).rejects.toThrow(
      'The modal "First" isn\'t on top of the stack: "Second" is.',
    )
    await expect(member.fill({ Name: 'b' }, { modal: undefined })).rejects.toThrow(
      "This modal doesn't exist.",
    )
    expect(world.sent).toHaveLength(2)
    const { view: remaining } = await member.submit({ Name: 'b' }, { modal: second })
    expect(remaining?.view.title?.text).toBe('First')
  })
})
