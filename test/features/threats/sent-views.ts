import type { Block, Fields } from '@signalman/playground'
import { checkMessage, checkView } from '@signalman/playground'
import { expect } from 'vitest'
import type { Message } from '../../../packages/slack/src/blocks/message.ts'
import { modalView } from '../../../packages/slack/src/blocks/modal.ts'
import { bindButtons } from '../../../src/bot/bind-buttons.ts'
import type { Modal } from '../../../src/bot/routes/routes.ts'

export interface Sent {
  text: string
  blocks: Block[]
}

/** Converts a message to what Slack receives: JSON with encrypted button values. Fails if the playground's rules reject it. */
export function toSentMessage({ text, blocks }: Message): Sent {
  const sealed = bindButtons(blocks, 'production')
  // Cast, because the value was just serialized from an object.
  const sent = JSON.parse(JSON.stringify({ text, blocks: sealed })) as Fields
  const checked = checkMessage(sent, 4000)
  if ('error' in checked) expect.fail(`${checked.error}: ${checked.notes.join('; ')}`)
  return checked
}

/** Converts a modal in the same way. `text` is its title. */
export function toSentModal(modal: Modal): Sent {
  const sealed = bindButtons(modal.blocks.flat(), 'production')
  const view = JSON.parse(JSON.stringify(modalView({ ...modal, blocks: sealed }))) as Fields
  const checked = checkView(view, ['modal'])
  if ('error' in checked) expect.fail(`${checked.error}: ${checked.notes.join('; ')}`)
  return { text: modal.title, blocks: checked.blocks }
}
