import { setTimeout as pause } from 'node:timers/promises'
import {
  type AnswerTargets,
  mayHaveHappened,
  modalView,
  retryAfterMs,
  type SlackClients,
  slackErrorCode,
} from '@signalman/slack'
import type { KnownBlock, ModalView } from '@slack/types'
import { bindButtons, withEnvironment } from '../bind-buttons.ts'
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
        await slack.updateView(modalId, await buildView(windowStates, request, modal, modalId))
        return modalId
      }
    },

    /** Replaces the content of an open window, with up to four attempts if the error may be temporary. */
    async fill(request: HandledRequest, viewId: string, content: Modal | ModalView): Promise<void> {
      const view = 'type' in content ? content : await buildView(windowStates, request, content, viewId)
      const slack = await clients.forWorkspace(request)
      await retryWhileTemporary(() => slack.updateView(viewId, view))
    },
  }
}

/** Builds a window with working buttons and its stored state: a new one, or new content for the one with this ID. */
async function buildView(
  windowStates: Pick<WindowStates, 'write'>,
  request: HandledRequest,
  modal: Modal,
  viewId?: string,
): Promise<ModalView> {
  const { environment = 'production', channelId, isHidden, surface, line, window } = request
  const { modalId }: AnswerTargets = surface
  const blocks = bindButtons(modal.blocks.flat(), request.environment, isHidden)
  const isSame = viewId !== undefined && viewId === modalId
  const { below = [] } = window ?? {}
  // An act that answers in its window shows what that line showed, as it is now.
  const shown = line ?? (isSame ? window?.line : undefined)
  // A button in a window isn't pressed in a channel, so the window stores the channel it was opened in.
  const metadata = await windowStates.write(request, modal.form?.id ?? '', {
    environment,
    ...(channelId && { channelId }),
    ...(modal.formState !== undefined && { formState: modal.formState }),
    ...(shown && !hasInputs(blocks) && { line: withEnvironment(shown, environment) }),
    ...(modalId && { below: isSame ? below : [{ viewId: modalId, line: window?.line }, ...below] }),
  })
  return modalView({ ...modal, blocks }, metadata)
}

const hasInputs = (blocks: readonly KnownBlock[]): boolean => blocks.some(({ type }) => type === 'input')

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
