import type { Fields } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import { option, plain } from '../validation/samples.ts'

const options = [option(), option('B', 'b')]

/** Maps an element's type to its other required fields, and to the value that a person chooses. */
const ELEMENTS: Record<string, { extraFields?: Fields; value?: string | string[] }> = {
  button: { extraFields: { text: plain('Go'), value: 'v' } },
  overflow: { extraFields: { options }, value: 'a' },
  static_select: { extraFields: { options, placeholder: plain('x') }, value: 'a' },
}
const INPUTS: Record<string, { extraFields?: Fields; value: string }> = {
  plain_text_input: { value: 'typed' },
  number_input: { extraFields: { is_decimal_allowed: false }, value: '7' },
}

const actionBlocks: Fields[] = Object.entries(ELEMENTS).map(([type, { extraFields }]) => ({
  type: 'actions',
  block_id: type,
  elements: [{ type, action_id: type, ...extraFields }],
}))
const inputBlocks: Fields[] = Object.entries(INPUTS).map(([type, { extraFields }]) => ({
  type: 'input',
  block_id: type,
  label: plain(type),
  dispatch_action: true,
  element: { type, action_id: type, ...extraFields },
}))
const modal: Fields = {
  type: 'modal',
  callback_id: 'form',
  title: plain('Form'),
  submit: plain('Save'),
  close: plain('Cancel'),
  private_metadata: 'm',
  blocks: [
    ...inputBlocks,
    {
      type: 'input',
      block_id: 'file',
      label: plain('File'),
      element: { type: 'file_input', action_id: 'file' },
    },
    {
      type: 'input',
      block_id: 'where',
      label: plain('Where'),
      element: { type: 'conversations_select', action_id: 'where' },
    },
  ],
}
const home: Fields = { type: 'home', blocks: [{ type: 'section', text: plain('Home') }] }

async function clickMessageElements({ api, slack }: World): Promise<void> {
  const { member } = slack
  await api('chat.postMessage', { channel: 'C0GENERAL1', text: 'x', blocks: actionBlocks })
  const message = (await member.messages()).at(-1)
  const withoutWaiting = { until: () => true }
  for (const [name, { value }] of Object.entries(ELEMENTS))
    await (value === undefined
      ? member.click(message, name, withoutWaiting)
      : member.choose(message, name, value, withoutWaiting))
  if (message) await member.shortcut('look-up', { message, ...withoutWaiting })
}

async function fillModal({ slack }: World): Promise<void> {
  const { member } = slack
  const { view } = await member.command('/hc', 'form')
  const file = await member.upload('a.csv', 'a,b')
  for (const [name, { value }] of Object.entries(INPUTS))
    await member.choose(view, name, value, { until: () => true })
  await member.submit({ File: [file.id], Where: 'C0OPERATNS' })
}

async function sendMessages({ slack }: World): Promise<void> {
  const { member } = slack
  await member.openHome()
  await member.openHome()
  await member.say('@example look')
  const file = await member.upload('b.csv', 'a,b')
  await member.say('in a direct message', { channel: 'dm', files: [file.id] })
  await member.say('in a direct message', { channel: 'dm' })
  await slack.uninstall('T0PLAYGRND')
}

/** Collects one payload of every kind that the playground sends, as the app receives it. */
export async function collectPayloads(): Promise<Fields[]> {
  await using world = await startWorld(({ body }) => {
    if (body.command) void world.api('views.open', { trigger_id: body.trigger_id, view: modal })
    if (body.type === 'event_callback') void world.api('views.publish', { user_id: 'U0MEMBER01', view: home })
    return {}
  })
  await clickMessageElements(world)
  await fillModal(world)
  await sendMessages(world)
  return world.sent.map(({ body }) => body)
}
