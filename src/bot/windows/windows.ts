import { setTimeout as pause } from 'node:timers/promises'
import {
  type AnswerTargets,
  mayHaveHappened,
  modalView,
  retryAfterMs,
  type SlackClients,
  slackErrorCode,
} from '@signalman/slack'
import type { ModalView } from '@slack/types'
import { bindButtons } from '../bind-buttons.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { Modal } from '../routes/routes.ts'
import type { WindowStates } from './window-states.ts'

/** Slack opened no window, because it does that only within three seconds of a click. */
export class WindowTooLate extends Error {
  override readonly name = 'WindowTooLate'
  constructor(cause: unknown) {
    super('The trigger has expired, so Slack opens no window.', { cause })
  }
}

/** Creates the functions that open and fill windows. */
export function createWindows({
  clients,
  windowStates,
}: {
  clients: SlackClients
  windowStates: Pick<WindowStates, 'write'>
}) {
  return {
    /** Opens a window, on top of the current one. Resolves with the view's ID; throws WindowTooLate. */
    async open(request: HandledRequest, modal: Modal): Promise<string> {
      const { triggerId = '', modalId }: AnswerTargets = request.surface
      const [slack, view] = await Promise.all([
        clients.forWorkspace(request),
        buildView(windowStates, request, modal),
      ])
      try {
        return await (modalId ? slack.pushView(triggerId, view) : slack.openView(triggerId, view))
      } catch (error) {
        if (isTooLate(error)) throw new WindowTooLate(error)
        // Slack stacks three windows at most; a fourth replaces the one it was opened from.
        if (!modalId || !isStackFull(error)) throw error
        await slack.updateView(modalId, view)
        return modalId
      }
    },

    /** Replaces the content of an open window, with up to four attempts if the error may be temporary. */
    async fill(request: HandledRequest, viewId: string, content: Modal | ModalView): Promise<void> {
      const view = 'type' in content ? content : await buildView(windowStates, request, content)
      const slack = await clients.forWorkspace(request)
      await retryWhileTemporary(() => slack.updateView(viewId, view))
    },
  }
}

/** Builds a window with working buttons and its stored state. */
async function buildView(
  windowStates: Pick<WindowStates, 'write'>,
  request: HandledRequest,
  modal: Modal,
): Promise<ModalView> {
  const { environment, channelId, isHidden } = request
  const blocks = bindButtons(modal.blocks.flat(), environment, isHidden)
  // A button in a window isn't pressed in a channel, so the window stores the channel it was opened in.
  const metadata = await windowStates.write(request, modal.form?.id ?? '', {
    environment: environment ?? 'production',
    ...(channelId && { channelId }),
    ...(modal.formState !== undefined && { formState: modal.formState }),
  })
  return modalView({ ...modal, blocks }, metadata)
}

/** The pauses after the first three attempts, unless Slack asks for a longer one. */
const PAUSES_MS = [500, 1500, 4000]
/** Longer pauses that Slack asks for are shortened to this, because nobody waits longer for a window. */
const MAX_PAUSE_MS = 10_000

/** Retries a call that is safe to repeat, such as updating a window. Posting a message isn't. Throws the last error. */
async function retryWhileTemporary<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work()
    } catch (error) {
      const slackPauseMs = retryAfterMs(error)
      if (slackPauseMs === undefined && !mayHaveHappened(error)) throw error
      await pause(Math.max(pauseMs, Math.min(slackPauseMs ?? 0, MAX_PAUSE_MS)))
    }
  }
  return work()
}

const isStackFull = (error: unknown): boolean => slackErrorCode(error) === 'push_limit_reached'

/** Errors of `views.open` and `views.push`: https://docs.slack.dev/reference/methods/views.open#errors (2026-11). */
const isTooLate = (error: unknown): boolean =>
  /^(?:expired|exchanged|invalid)_trigger(?:_id)?$/.test(slackErrorCode(error) ?? '')
