import { describe, expect, it } from 'vitest'
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

const options = ['a', 'b', 'c'].map((value) => ({ text: { type: 'plain_text', text: value }, value }))

describe('invalid input', () => {
  it.each([
    {
      element: { type: 'multi_static_select', options, max_selected_items: 2 },
      choices: ['a', 'b', 'c'],
      message: 'at most 2 choices',
    },
    {
      element: { type: 'file_input', filetypes: ['csv', 'pem'] },
      files: ['a.exe'],
      message: "a.exe isn't an accepted type. Accepted: csv, pem.",
    },
    {
      element: { type: 'file_input', max_files: 1 },
      files: ['a.csv', 'b.csv'],
      message: 'Choose at most 1 file.',
    },
  ])('is rejected: $message', async ({ element, choices = [], files = [], message }) => {
    await using world = await openModal(element)
    const { member } = world.slack
    const uploads = await Promise.all(files.map((name) => member.upload(name, 'x')))
    const value = [...choices, ...uploads.map(({ id }) => id)]
    await expect(member.submit({ L: value })).rejects.toThrow(message)
    expect(await world.slack.deliveries('view_submission')).toEqual([])
  })

  it.each([
    {
      element: { type: 'plain_text_input', min_length: 3 },
      value: 'ab',
      message: 'Enter at least 3 characters.',
    },
    {
      element: { type: 'plain_text_input', max_length: 3 },
      value: 'abcd',
      message: 'Enter at most 3 characters; this is 4.',
    },
    {
      element: { type: 'plain_text_input' },
      value: 'x'.repeat(3001),
      message: 'Enter at most 3000 characters; this is 3001.',
    },
    { element: { type: 'email_text_input' }, value: 'ann', message: 'Enter an email address.' },
    {
      element: { type: 'url_text_input' },
      value: 'example',
      message: 'Enter a web address that starts with http:// or https://.',
    },
    {
      element: { type: 'number_input', is_decimal_allowed: false },
      value: '1.5',
      message: 'Enter a whole number.',
    },
    {
      element: { type: 'number_input', is_decimal_allowed: true, max_value: '9' },
      value: '10',
      message: 'Enter 9 or less.',
    },
  ])('shows an error in the modal, and sends no request: $message', async ({ element, value, message }) => {
    await using world = await openModal(element)
    const answer = await world.slack.member.submit({ L: value })
    expect(answer.view?.errors).toEqual({ field: message })
    expect(await world.slack.deliveries('view_submission')).toEqual([])
  })
})
