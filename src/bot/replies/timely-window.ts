import { say } from '../../blocks/layout.ts'
import type { Message } from '../../blocks/message.ts'
import { modalView } from '../../blocks/modal.ts'
import type { Environment } from '../../domain/environment.ts'
import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { AnswerTimes } from '../../slack/receive/answer-times.ts'
import { withFieldMarks } from '../../slack/receive/field-ids.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import { retryWindowUpdate } from '../../slack/reply/retry-window-update.ts'
import type { BindButtons } from '../buttons/bind-buttons.ts'
import { createBindMessage } from '../buttons/bind-message.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { Modal } from '../routes/routes.ts'
import type { MessageDelivery } from './delivery.ts'
import { explain, problemMessage } from './explain.ts'
import { logProblem } from './log-problem.ts'
import { isForLater } from './not-told.ts'
import { type Opening, WindowTooLate } from './opening.ts'
import type { Replies } from './replies.ts'
import { isModal } from './window-view.ts'

/** Opens a window in time, however long the work for it takes. */
export function createTimelyWindow(parts: {
  clients: SlackClients
  bindButtons: BindButtons
  log: Log
  opening: Opening
  post: MessageDelivery['post']
  view: Replies['view']
  answer: Replies['answer']
  answerTimes: Pick<AnswerTimes, 'opensWholeMs'>
}): Replies['window'] {
  const { clients, bindButtons, log, opening, post, view, answer, answerTimes } = parts
  const { inWindow, openOrPush } = opening
  const bound = createBindMessage(bindButtons)

  /** Replaces the placeholder with the content; posts a message when the person has closed the window meanwhile. */
  async function fill(
    request: HandledRequest,
    viewId: string,
    environment: Environment,
    content: Message | Modal,
  ): Promise<void> {
    const ready = await view(request, environment, content)
    const slack = await clients.of(request)
    try {
      await retryWindowUpdate(() => slack.updateView(viewId, withFieldMarks(ready)))
    } catch (error) {
      log.info({ reference: request.reference, err: error }, 'The window is gone.')
      // A form whose window was closed is dropped; an answer is still posted.
      if (isModal(content)) return
      await postBound(request, environment, content)
    }
  }

  const postBound = async (request: HandledRequest, environment: Environment, content: Message) =>
    post(request, await bound(request, environment, content))

  return async (request, environment, work, options = {}) => {
    const early = await Promise.race([work, waited(answerTimes.opensWholeMs)])
    if (early) {
      if (!isModal(early)) return answer(request, environment, early, options)
      return inWindow(request, await view(request, environment, early), options).catch(askAgain(request))
    }
    const placeholder = modalView({ title: 'Signalman', blocks: [say('One moment…')] })
    const { modalId }: WaysToAnswer = request.surface
    const opened = options.inPlace && modalId ? modalId : openOrPush(request, placeholder)
    const viewId = await Promise.resolve(opened).catch(async (error: unknown) => {
      // A read that came too late for a window is answered by a message. An act is waited for before its error is shown.
      const answersWithoutWindow = error instanceof WindowTooLate && !request.act
      const content = request.act || answersWithoutWindow ? await work : undefined
      if (!answersWithoutWindow || !content || isModal(content)) return askAgain(request)(error)
      await postBound(request, environment, content)
    })
    if (!viewId) return
    const content = await work.catch((error: unknown) => {
      if (isForLater(error) || request.act?.isWorthAnother(error)) throw error
      const problem = explain(error, { reads: !request.act })
      logProblem(log, { reference: request.reference, workspace: request.workspaceId }, problem, error)
      return problemMessage(problem, request.reference)
    })
    await fill(request, viewId, environment, content)
  }
}

/** A read that came too late changed nothing, so the person may ask again; of an act that is not certain. */
const askAgain =
  ({ act }: HandledRequest) =>
  (error: unknown): never => {
    if (act || !(error instanceof WindowTooLate)) throw error
    throw new UserError(
      'Slack lets an app open a window within three seconds only, and this took longer. Ask again.',
    )
  }

function waited(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
}
