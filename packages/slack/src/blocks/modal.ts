import type { KnownBlock, ModalView } from '@slack/types'
import { answerAction } from './inputs.ts'
import { context } from './layout.ts'
import { LIMITS } from './limits.ts'
import { plain } from './text.ts'

export interface ModalParts {
  title: string
  blocks: readonly (KnownBlock | KnownBlock[])[]
  /** The form that handles the answers. Undefined for a modal that only shows something. A form without inputs needs no `submit`. */
  form?: { id: string; submit: string | undefined }
}

/** A modal that Slack accepts; `metadata` is encrypted state (see window-states.ts), at most 3,000 characters. */
export function modalView({ title, blocks, form }: ModalParts, metadata = ''): ModalView {
  const action_id = answerAction(metadata)
  return {
    type: 'modal',
    title: plain(title, LIMITS.modalTitle),
    blocks: fitView(blocks.flat()).map((block) =>
      block.type === 'input' ? { ...block, element: { ...block.element, action_id } } : block,
    ),
    close: plain(form ? 'Cancel' : 'Close', LIMITS.modalButton),
    ...(form && { callback_id: form.id }),
    ...(form?.submit && { submit: plain(form.submit, LIMITS.modalButton) }),
    private_metadata: metadata,
  }
}

/** Keeps at most 100 blocks. A note at the end says how many were left out. */
export function fitView(blocks: readonly KnownBlock[]): KnownBlock[] {
  if (blocks.length <= LIMITS.viewBlocks) return [...blocks]
  const shown = blocks.slice(0, LIMITS.viewBlocks - 1)
  return [...shown, context(`Left out: ${blocks.length - shown.length} more, too much for one window.`)]
}
