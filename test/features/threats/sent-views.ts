import type { Block, Fields } from '@signalman/playground'
import { checkMessage, checkView } from '@signalman/playground'
import { expect } from 'vitest'
import type { Message } from '../../../packages/slack/src/blocks/message.ts'
import { modalView } from '../../../packages/slack/src/blocks/modal.ts'
import type { Modal } from '../../../src/bot/routes/routes.ts'
import { bindButtons } from '../../slack/blocks/bound.ts'

export interface Sent {
  text: string
  blocks: Block[]
}

/** The message as Slack receives it: with sealed buttons, as JSON, and validated by the playground's rules. */
export function toSentMessage({ text, blocks }: Message): Sent {
  const sealed = bindButtons(blocks)
  // Cast, because this value serializes to JSON.
  const sent = JSON.parse(JSON.stringify({ text, blocks: sealed })) as Fields
  const checked = checkMessage(sent, { textLimit: 4000 })
  if ('error' in checked) expect.fail(`${checked.error}: ${checked.notes.join('; ')}`)
  return checked
}

/** The window as Slack receives it, validated the same way. `text` is its title. */
export function toSentModal(modal: Modal): Sent {
  const sealed = bindButtons(modal.blocks.flat())
  const view = JSON.parse(JSON.stringify(modalView({ ...modal, blocks: sealed }))) as Fields
  const checked = checkView(view, ['modal'])
  if ('error' in checked) expect.fail(`${checked.error}: ${checked.notes.join('; ')}`)
  return { text: modal.title, blocks: checked.blocks }
}
