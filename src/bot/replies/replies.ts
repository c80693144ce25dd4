import type { ModalView } from '@slack/types'
import type { Message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { AnswerTimes } from '../../slack/receive/answer-times.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import type { NewBlocks } from '../../slack/reply/new-blocks.ts'
import type { Responder } from '../../slack/reply/respond.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import type { HandledRequest, ReplyOptions } from '../routes/handled-request.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowStates } from '../windows/window-states.ts'
import { createDelivery } from './delivery.ts'
import { createOpening, WindowTooLate } from './opening.ts'
import { createTimelyWindow } from './timely-window.ts'
import { createWindowView } from './window-view.ts'

/** Sends answers to the right place. */
export interface Replies {
  /** The buttons of an answer without an environment run in the environment that the channel has then. */
  answer(
    request: HandledRequest,
    environment: Environment | undefined,
    message: Message,
    options?: ReplyOptions,
  ): Promise<void>
  /** Shows the result of `work` in a window, which is opened in time however long `work` takes. */
  window(
    request: HandledRequest,
    environment: Environment,
    work: Promise<Message | Modal>,
    options?: ReplyOptions,
  ): Promise<void>
  view(
    request: HandledRequest,
    environment: Environment | undefined,
    content: Message | Modal,
  ): Promise<ModalView>
}

export function createReplies(parts: {
  clients: SlackClients
  responder: Responder
  bindButtons: BindButtons
  windowStates: WindowStates
  newBlocks: NewBlocks
  answerTimes: Pick<AnswerTimes, 'opensWholeMs'>
  log: Log
}): Replies {
  const { clients, bindButtons, windowStates, newBlocks, answerTimes, log } = parts
  const { deliver, post } = createDelivery(parts)
  const opening = createOpening(clients)
  const view = createWindowView({ bindButtons, windowStates })

  async function answer(
    request: HandledRequest,
    environment: Environment | undefined,
    message: Message,
    options: ReplyOptions = {},
  ): Promise<void> {
    const { responseUrl, triggerId, modalId, threadTs }: WaysToAnswer = request.surface
    const isWindow = Boolean(triggerId || (modalId && options.inPlace))
    if (!responseUrl && isWindow && !(threadTs && !options.inPlace)) {
      try {
        return await opening.inWindow(request, await view(request, environment, message), options)
      } catch (error) {
        if (!request.act && !(error instanceof WindowTooLate)) throw error
        // An outcome is told even when no window could be opened.
        log.info({ reference: request.reference, err: error }, 'The window is gone; writing instead.')
      }
    }
    await newBlocks.send(request.workspaceId, message, async ({ text, blocks }) =>
      deliver(request, { text, blocks: await bindButtons(request, environment, blocks) }, options),
    )
  }

  const window = createTimelyWindow({ clients, bindButtons, log, opening, post, view, answer, answerTimes })
  return { answer, window, view }
}
