import { expect, it } from 'vitest'
import { startWorld } from '../app.ts'
import { modalWithInput } from '../validation/samples.ts'

it('takes a conversation by its name, of the person’s workspace, and only one that exists', async () => {
  await using world = await startWorld()
  const view = modalWithInput({ type: 'conversations_select', action_id: 'v' }, { block_id: 'where' })
  world.setHandler(({ body }) => {
    if (body.command) void world.api('views.open', { trigger_id: body.trigger_id, view })
    return {}
  })
  const { member } = world.slack
  await member.command('/hc')
  await expect(member.submit({ where: '#nowhere' })).rejects.toThrow(
    '"#nowhere" isn\'t a choice of v: nothing has this ID or name',
  )
  await member.submit({ where: '#general' })
  expect(world.sent.at(-1)?.body).toMatchObject({
    view: { state: { values: { where: { v: { selected_conversation: 'C0GENERAL1' } } } } },
  })
})
