import { expect, it } from 'vitest'
import { startWorld } from '../app.ts'
import { modalWithInput } from '../validation/samples.ts'

/** Starts a world in which the member has opened a modal with one input. */
async function openModal(element: object) {
  const world = await startWorld()
  await world.slack.member.command('/hc', '', { until: () => true })
  const view = modalWithInput(
    { action_id: 'value', ...element, type: String(Reflect.get(element, 'type')) },
    { block_id: 'field' },
  )
  const { trigger_id } = world.sent[0]?.body ?? {}
  expect(await world.api('views.open', { trigger_id: trigger_id ?? '', view })).toMatchObject({ ok: true })
  return world
}

// client-errors.test.ts of the actions has every rule.
it('shows an error in the modal for what a person can type, and sends no request', async () => {
  await using world = await openModal({ type: 'plain_text_input', max_length: 1 })
  const answer = await world.slack.member.submit({ L: 'ab' })
  expect(answer.view?.errors).toEqual({ field: 'Enter at most 1 character; this is 2.' })
  expect(await world.slack.deliveries('view_submission')).toEqual([])
})

it('refuses what a person can’t choose', async () => {
  await using world = await openModal({ type: 'file_input', filetypes: ['csv', 'pem'] })
  const { id } = await world.slack.member.upload('a.exe', 'x')
  await expect(world.slack.member.submit({ L: [id] })).rejects.toThrow("a.exe isn't an accepted type")
  expect(await world.slack.deliveries('view_submission')).toEqual([])
})
