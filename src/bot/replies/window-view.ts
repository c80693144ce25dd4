import type { KnownBlock, ModalView } from '@slack/types'
import { hasOffers } from '../../blocks/command-buttons.ts'
import type { Message } from '../../blocks/message.ts'
import { modalView } from '../../blocks/modal.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import type { Replies } from './replies.ts'

export const isModal = (answer: Message | Modal): answer is Modal => 'title' in answer

/** Makes windows with working buttons and their state. */
export function createWindowView(parts: {
  bindButtons: BindButtons
  windowStates: WindowStates
}): Replies['view'] {
  const { bindButtons, windowStates } = parts
  return async (request, environment, content): Promise<ModalView> => {
    const modal: Modal = isModal(content) ? content : { title: 'Signalman', blocks: classicOf(content) }
    const blocks = await bindButtons(request, environment, modal.blocks.flat())
    // A button in a window is pressed in no channel: the window stores the channel it was opened in.
    const needsState = modal.form !== undefined || (request.channelId !== undefined && hasOffers(blocks))
    const metadata = needsState
      ? await windowStates.write(request, modal.form?.id ?? '', {
          environment: environment ?? 'production',
          ...(request.channelId && { channelId: request.channelId }),
          ...(modal.about !== undefined && { about: modal.about }),
          ...(request.origin && { origin: request.origin }),
        })
      : ''
    return modalView({ ...modal, blocks }, metadata)
  }
}

/** Windows and App Home take fewer kinds of blocks than messages do. */
const classicOf = ({ blocks, classic }: Message): KnownBlock[] => classic?.() ?? blocks
